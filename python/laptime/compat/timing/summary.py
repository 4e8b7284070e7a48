"""The table of all timers."""

from __future__ import annotations

from math import fsum

from ..._core import visible_text
from .output import say
from .timers import Timers, check_count, check_name, depth, seconds_of

_WIDTH = 60
#: Characters of the names, unless one is longer.
_NAME = 25


def print_timing_summary(timers: Timers, section_name: str, num_datasets: int = 1) -> None:
    """Prints every timer in seconds and percent of the total, the total, and its part per data set.

    A timer that ran inside another one of the same dictionary is indented and left out of the
    total. The percentages are rounded one by one. An empty dictionary gives a total of 0.00s.
    """
    check_name("section_name", section_name)
    datasets = check_count("num_datasets", num_datasets, 1)
    seconds = seconds_of(timers)
    depths = {name: depth(timers, name) for name in seconds}
    say(layout(section_name, seconds, depths, datasets))


def layout(section: str, seconds: dict[str, float], depths: dict[str, int], datasets: int) -> str:
    """The table, to the character: people parse it."""
    total = fsum(one for name, one in seconds.items() if not depths[name])
    labels = {name: f"{'  ' * depths[name]}{visible_text(name)}:" for name in seconds}
    width = max(map(len, labels.values()), default=0)
    width = max(width, _NAME)
    lines = [
        "=" * _WIDTH,
        f"TIMING SUMMARY - {visible_text(section)}",
        "=" * _WIDTH,
        *(
            f"{labels[name]:<{width}}{one:>8.2f}s ({share(one, total) * 100:5.1f}%)"
            for name, one in seconds.items()
        ),
        "-" * _WIDTH,
        f"{'Total time:':<{width}}{total:>8.2f}s",
        f"{'Average per dataset:':<{width}}{total / datasets:>8.2f}s",
        "=" * _WIDTH,
    ]
    return "\n".join(lines)


def share(part: float, whole: float) -> float:
    """A part of a whole; nothing of nothing is nothing."""
    return part / whole if whole > 0 else 0.0
