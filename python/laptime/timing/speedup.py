"""How many times faster than a baseline."""

from __future__ import annotations

from .._core import timing_slowest, timing_speedup, timing_speedup_analysis
from .output import say
from .timers import Timers, seconds_of


def _baseline(seconds: dict[str, float], baseline: str | None) -> str | None:
    if baseline is not None and baseline not in seconds:
        known = ", ".join(map(repr, seconds)) or "none"
        raise KeyError(f"baseline {baseline!r} is not among the timers: {known}")
    if baseline is not None or not seconds:
        return baseline
    slowest = timing_slowest(list(seconds.values()))
    return None if slowest is None else list(seconds)[slowest]


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
        name: 1.0 if name == base else timing_speedup(seconds[base], one)
        for name, one in seconds.items()
    }


def print_speedup_analysis(timers: Timers, baseline: str | None = None) -> None:
    """Prints the ratios, fastest first; below 1 as `slower`, with the inverse ratio."""
    seconds = seconds_of(timers)
    base = _baseline(seconds, baseline)
    index = None if base is None else list(seconds).index(base)
    say(timing_speedup_analysis(list(seconds.items()), index))
