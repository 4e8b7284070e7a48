"""Time and memory on a device: the one place that asks PyTorch for them.

`gauge(device)` gives an object that measures, or the reason why there is none. A timer calls its
`start()` and `stop(token)`; a pool of events in Rust can take its place without the timer's
knowing. PyTorch is never imported from here: what the program has not imported is not there. No
context is created, and nothing waits for the device, until a duration is used.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from .._core import raised_by_handler
from .._log import warn
from ._probe import Probe, each, indices, kind_of
from .elapsed import Elapsed
from .events import Timeline
from .memory import Allocator

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    #: What `stop` gives: the duration, and bytes at the start (None: not read), the end, at most.
    Ended: TypeAlias = tuple[Any, int | None, int, int]

__all__ = ["Gauge", "Probe", "Waiting", "each", "gauge", "kind_of"]

_log = logging.getLogger("laptime")


class Gauge:
    """Measures on one or several devices of a kind, once they are in use."""

    def __init__(
        self, probe: Probe, devices: list[int | None], stream: Any, reads_memory: bool
    ) -> None:
        self.probe = probe
        self._lines = [Timeline(probe, device, stream) for device in devices]
        read = [Allocator.of(probe, one) for one in devices] if reads_memory else []
        self._allocators = [one for one in read if one.is_there]
        self._has_failed = False

    def start(self) -> Any:
        """Memory, then an event on the stream in use. None while the device is not in use."""
        try:
            if self.probe.reason() is not None or self.probe.is_capturing():
                return None
            laps = [allocator.open() for allocator in self._allocators]
            return [line.record() for line in self._lines], laps
        except Exception as error:
            if raised_by_handler(error):
                raise
            if not self._has_failed:
                _log.warning("segments could not be timed on the device", exc_info=True)
            self._has_failed = True
            return None

    def stop(self, token: Any) -> Ended:
        """An event on the same stream, then memory. Waits for nothing."""
        starts, laps = token
        pairs = [line.pair(start) for line, start in zip(self._lines, starts, strict=True)]
        for line in self._lines:
            line.drain()
        elapsed = Elapsed(pairs)
        if not laps:
            return elapsed, None, 0, 0
        read = [one.close(lap) for one, lap in zip(self._allocators, laps, strict=True)]
        before, after, most = (sum(column) for column in zip(*read, strict=True))
        return elapsed, before, after, most


class Waiting:
    """Measures nothing on a device yet: until the program imports PyTorch."""

    def __init__(self, make: Callable[[], Gauge | None]) -> None:
        self._make = make
        self._gauge: Gauge | None = None

    def start(self) -> Any:
        if self._gauge is None:
            self._gauge = self._make()
        return None if self._gauge is None else self._gauge.start()

    def stop(self, token: Any) -> Ended:
        assert self._gauge is not None
        return self._gauge.stop(token)


def gauge(
    device: Any, memory: bool = False, stream: Any = None, *, says: bool = True
) -> tuple[Any, str | None]:
    """What measures on a device, and why it does not measure (yet): either may be None.

    `device` is what PyTorch takes: "cuda", "cuda:1", a `torch.device`, a number, a list of them.
    That one isn't there is said once, unless the caller says it itself.
    """
    kind = kind_of(device)
    if kind == "cpu":
        return None, "the device is the CPU"
    probe = Probe(kind)
    reason = probe.reason()
    if probe.is_final:
        if probe.is_unknown:
            _say_absent(kind, reason)
        return None, reason
    if probe.is_imported:
        missing = probe.missing(indices(device))
        if missing is not None:
            if says:
                _say_absent(device, missing)
            return None, missing
        return Gauge(probe, indices(device), stream, memory), reason

    def make() -> Gauge | None:
        reason = probe.reason()
        if probe.is_unknown:
            _say_absent(kind, reason)
        if not probe.is_imported or probe.is_final:
            return None
        missing = probe.missing(indices(device))
        if missing is not None:
            if says:
                _say_absent(device, missing)
            return None
        return Gauge(probe, indices(device), stream, memory)

    return Waiting(make), reason


#: What was said of devices.
_said: set[str] = set()


def _say_absent(device: Any, reason: str | None) -> None:
    """Says once of a device that nothing of it can be timed: its name may be a slip.

    Not where there is none of its kind: there a program runs on the CPU, as it may.
    """
    is_plain = type(device) in (str, int, list, tuple)
    shown = repr(device if is_plain else str(device))
    told = f"{reason}: timers with device={shown} tell the host's time alone"
    if told not in _said:
        _said.add(told)
        warn(told)
