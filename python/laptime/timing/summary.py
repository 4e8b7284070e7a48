"""The table of all timers."""

from __future__ import annotations

from .._core import timing_summary
from .output import say
from .timers import Timers, check_count, check_name, depth, seconds_of


def print_timing_summary(timers: Timers, section_name: str, num_datasets: int = 1) -> None:
    """Prints every timer in seconds and percent of the total, the total, and its part per data set.

    A timer that ran inside another one of the same dictionary is indented and left out of the
    total. The percentages are rounded one by one. An empty dictionary gives a total of 0.00s.
    """
    check_name("section_name", section_name)
    datasets = check_count("num_datasets", num_datasets, 1)
    seconds = seconds_of(timers)
    rows = [(name, one, depth(timers, name)) for name, one in seconds.items()]
    say(timing_summary(section_name, rows, datasets))
