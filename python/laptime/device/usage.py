"""What a device's memory is at this moment, and the most that is allocated in between."""

from __future__ import annotations

from .._core import raised_by_handler
from ._probe import Probe, kind_of
from .memory import Allocator, Lap


class Usage:
    """Bytes on the current device: allocated, reserved, and the most allocated at once."""

    __slots__ = ("allocated", "most", "reserved")

    def __init__(self, allocated: int, reserved: int, most: int) -> None:
        self.allocated, self.reserved, self.most = allocated, reserved, most


def usage() -> tuple[Usage | None, str | None]:
    """The memory that the program holds on the current device, or why that is not known.

    A device that is there and not in use yet holds nothing; asking creates no context.
    """
    probe = Probe(kind_of(None))
    if not probe.is_in_use():
        reason = probe.reason()
        if reason is not None and (probe.is_final or not probe.is_imported):
            return None, reason
        return Usage(0, 0, 0), None
    names = ("memory_allocated", "memory_reserved", "max_memory_allocated")
    read = [getattr(probe.module, name, None) for name in names]
    if not all(read):
        return None, f"PyTorch does not count the memory of {probe.kind!r}"
    try:
        return Usage(*(int(ask(None)) for ask in read if ask is not None)), None
    except Exception as error:  # a broken driver must not break the program
        return None, f"PyTorch cannot read the device's memory: {error}"


class Peak:
    """The most that is allocated on the current device from `begin()` to `end()`.

    Peaks fold: what is measured inside, and the program's own reading of it, stay right.
    """

    def __init__(self) -> None:
        self._allocator: Allocator | None = None
        self._lap: Lap | None = None

    def begin(self) -> None:
        """Begins. A device that comes into use later is seen at the end."""
        probe = Probe(kind_of(None))
        try:
            if probe.is_in_use() and not probe.is_capturing():
                allocator = Allocator.of(probe, None)
                if allocator.is_there:
                    self._lap = allocator.open()
                    self._allocator = allocator
        except Exception as error:
            if raised_by_handler(error):
                raise
            self._lap = None  # a failed kernel is the program's to find, where it looks for it

    def end(self) -> tuple[Usage | None, str | None]:
        """What is there now, with the most since `begin()`; or why that is not known."""
        if self._allocator is None or self._lap is None:
            # All that there ever was came since then.
            return usage()
        try:
            _before, after, most = self._allocator.close(self._lap)
        except Exception as error:
            if raised_by_handler(error):
                raise
            return None, f"PyTorch cannot read the device's memory: {error}"
        found, reason = usage()
        return (None, reason) if found is None else (Usage(after, found.reserved, most), None)
