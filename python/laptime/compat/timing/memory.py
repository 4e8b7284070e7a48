"""Host memory of a tracked call: every allocation counted, or resident memory where none can be."""

from __future__ import annotations

from ... import _resident_memory as resident_memory
from ..._core import memory_close, memory_open, memory_start
from .output import say_why

ENDED = (
    "memory of a call is not known: counting ended while the call ran, or the call ended on "
    "another thread or task than it began on"
)


def start() -> None:
    """Counts allocations and small Python objects from now on; says, once, why not."""
    _began, reason = memory_start(objects=True)
    if reason is None:
        return
    token = memory_open()
    if token:
        memory_close(token)
        say_why(f"Python objects of up to 512 bytes are counted by the megabyte: {reason}")
    else:
        say_why(f"{resident_memory.why()}: {reason}")


class HostMemory:
    """What a call allocated less what it freed, and the largest that was at any moment of it."""

    def __init__(self) -> None:
        start()
        self._token = 0
        self._region: resident_memory.Region | None = None

    def begin(self) -> None:
        """Begins, on the thread and task of the call."""
        self._token = memory_open()
        if not self._token:
            self._region = resident_memory.Region()

    def end(self) -> tuple[int, int] | None:
        """Net and peak in bytes; None, with the reason on the logger, where they are lost."""
        if self._region is not None:
            return self._region.finish()
        counted = memory_close(self._token)
        if counted is None:
            say_why(ENDED)
        return counted
