"""Counting the memory of laps, asked for by `memory=`, `--memory` or `LAPTIME_MEMORY`."""

from __future__ import annotations

from ._core import memory_start
from ._log import warn


def start(*, objects: bool = False) -> bool:
    """Counts from now on. Whether this call began it: whoever began it stops it.

    Where allocations can't be counted this says why, once, and the recording says it too.
    """
    began, reason = memory_start(objects)
    if reason is not None:
        warn(f"memory: {reason}")
    return began
