"""What the first epoch cost beyond the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from math import fsum
from typing import Any, TypedDict, cast

from ..._core import first_steady, visible_text
from .output import NONE, say
from .timers import check_count, check_name, to_seconds

_WIDTH = 40


class WarmupStats(TypedDict):
    """Times in seconds; what cannot be told is None."""

    first_epoch_time: float
    avg_steady_state_time: float | None
    warmup_overhead: float | None
    warmup_overhead_pct: float | None
    warmup_epochs: int | None
    warmup_epochs_reason: str | None
    total_epochs: int


def track_warmup_timing(total_epochs: int, epoch_times: Iterable[float]) -> WarmupStats:
    """Compares the first epoch with the mean of the others, in seconds.

    The percentage is the overhead over that mean. Beyond it, `warmup_epochs` is how many epochs
    pass before they keep their speed, by the rule that reports use for steps; None with
    `warmup_epochs_reason` when that cannot be told. `epoch_times` may be shorter than
    `total_epochs`, as in a run that stopped early.
    """
    total = check_count("total_epochs", total_epochs, 1)
    given = cast("object", epoch_times)
    if isinstance(given, (str, bytes, Mapping)) or not isinstance(given, Iterable):
        kind = type(cast("object", given)).__name__
        raise TypeError(f"epoch_times is a sequence of seconds, not {kind}")
    times = [to_seconds(f"epoch_times[{at}]", one) for at, one in enumerate(epoch_times)]
    if len(times) > total:
        raise ValueError(f"epoch_times has {len(times)} entries, more than total_epochs {total}")
    if not times:
        raise ValueError("epoch_times is empty")
    first, *others = times
    steady = fsum(others) / len(others) if others else None
    overhead = None if steady is None else first - steady
    percent = None
    if overhead == 0:
        percent = 0.0
    elif steady and overhead is not None:
        percent = overhead / steady * 100
    epochs, reason = first_steady(times)
    return {
        "first_epoch_time": first,
        "avg_steady_state_time": steady,
        "warmup_overhead": overhead,
        "warmup_overhead_pct": percent,
        "warmup_epochs": epochs,
        "warmup_epochs_reason": None if reason is None else reason.replace("step", "epoch"),
        "total_epochs": total,
    }


def print_warmup_analysis(stats: Mapping[str, Any] | WarmupStats, model_name: str) -> None:
    """Prints what `track_warmup_timing` returned."""
    check_name("model_name", model_name)
    if not isinstance(stats, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise TypeError(f"stats is what track_warmup_timing returned, not {type(stats).__name__}")
    keys = ("first_epoch_time", "avg_steady_state_time", "warmup_overhead", "warmup_overhead_pct")
    missing = [key for key in keys if key not in stats]
    if missing:
        raise ValueError(f"stats lacks {missing[0]!r}: pass what track_warmup_timing returned")
    figures = cast("Mapping[str, Any]", stats)
    say(layout(model_name, *(figures[key] for key in keys)))


def layout(
    name: str, first: float, steady: float | None, overhead: float | None, percent: float | None
) -> str:
    """The table, to the character: people parse it."""
    of_steady = f"{NONE:>5}" if percent is None else f"{percent:5.1f}"
    beyond = "" if overhead is None else f" ({of_steady}%)"
    lines = [
        f"{visible_text(name)} - Warmup Analysis:",
        "-" * _WIDTH,
        f"  {'First epoch:':<23}{_said(first)}",
        f"  {'Steady state:':<23}{_said(steady)}",
        f"  {'Warmup overhead:':<23}{_said(overhead)}{beyond}",
        "-" * _WIDTH,
    ]
    return "\n".join(lines)


def _said(seconds: float | None) -> str:
    return f"{NONE} (there is only one epoch)" if seconds is None else f"{seconds:.3f}s"
