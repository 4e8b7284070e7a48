"""How many times faster than a baseline."""

from __future__ import annotations

from ..._core import visible_text
from .output import NONE, say
from .timers import Timers, seconds_of

_WIDTH = 60


def _baseline(seconds: dict[str, float], baseline: str | None) -> str | None:
    if baseline is not None and baseline not in seconds:
        known = ", ".join(map(repr, seconds)) or "none"
        raise KeyError(f"baseline {baseline!r} is not among the timers: {known}")
    if baseline is not None or not seconds:
        return baseline
    return max(seconds, key=seconds.__getitem__)


def calculate_speedup_ratios(
    timers: Timers, baseline: str | None = None
) -> dict[str, float | None]:
    """The baseline's time over every timer's: 2.0 is twice as fast, the baseline itself is 1.0.

    The baseline is the slowest timer unless named. A time of zero has no ratio: None.
    """
    seconds = seconds_of(timers)
    base = _baseline(seconds, baseline)
    if base is None:
        return {}
    return {
        name: 1.0 if name == base else _ratio(seconds[base], one) for name, one in seconds.items()
    }


def _ratio(baseline: float, seconds: float) -> float | None:
    """A clock too coarse for the work gives zeros, of which a ratio says nothing."""
    return baseline / seconds if baseline > 0 and seconds > 0 else None


def print_speedup_analysis(timers: Timers, baseline: str | None = None) -> None:
    """Prints the ratios, fastest first; below 1 as `slower`, with the inverse ratio."""
    seconds = seconds_of(timers)
    say(layout(seconds, _baseline(seconds, baseline)))


def layout(seconds: dict[str, float], base: str | None) -> str:
    """The table, to the character: people parse it."""
    others = sorted((name for name in seconds if name != base), key=seconds.__getitem__)
    known = (
        f"{NONE} (no timers)" if base is None else f"{visible_text(base)} ({seconds[base]:.2f}s)"
    )
    lines = [
        "=" * _WIDTH,
        "SPEEDUP ANALYSIS",
        "=" * _WIDTH,
        f"Baseline: {known}",
        "-" * _WIDTH,
        *(f"{visible_text(name):<20} : {_said(seconds, base, name)}" for name in others),
        "=" * _WIDTH,
    ]
    return "\n".join(lines)


def _said(seconds: dict[str, float], base: str | None, name: str) -> str:
    ratio = _ratio(0.0 if base is None else seconds[base], seconds[name])
    if ratio is None:
        return f"{NONE:>5}  (a time of zero has no ratio)"
    return f"{ratio:5.2f}x faster" if ratio >= 1 else f"{1 / ratio:5.2f}x slower"
