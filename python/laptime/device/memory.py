"""A device's memory, as its allocator counts it: what is there, and the most there was.

The allocator has one peak for everybody. At each start it is read, folded into every open lap and
into the program's own peak, and only then reset: so the peaks of nested laps are exact, and
`torch.cuda.max_memory_allocated()` says to the program what it would say without Laptime.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, TypeAlias, cast
from weakref import WeakSet

if TYPE_CHECKING:
    from collections.abc import Callable

    from ._probe import Probe

#: An allocator's numbers, "current", "peak", …, by group and pool; some groups have no pools.
_Numbers: TypeAlias = "dict[str, Any]"


class Lap:
    """Open since `before` bytes were allocated; `most` since then."""

    __slots__ = ("__weakref__", "before", "most")

    def __init__(self, before: int) -> None:
        self.before = self.most = before


class Allocator:
    """One device's allocator, shared by all timers."""

    _known: dict[tuple[str, int | None], Allocator] = {}  # noqa: RUF012 # shared on purpose

    @classmethod
    def of(cls, probe: Probe, device: int | None) -> Allocator:
        """The allocator of a device; None is the device that is current at each reading."""
        key = (probe.kind, device)
        if key not in cls._known or cls._known[key].module is not probe.module:
            cls._known[key] = cls(probe, device)
        return cls._known[key]

    def __init__(self, probe: Probe, device: int | None) -> None:
        self.module = probe.module
        self._device = device
        self._peaks = Peaks.of(probe)
        self.is_there = self._peaks.is_there
        #: Weak: a segment that is given up takes its lap along.
        self._open: WeakSet[Lap] = WeakSet()

    def open(self) -> Lap:
        """A lap opens: all peaks up to now are folded, and the allocator's begins anew."""
        allocated, peak, stats = self._peaks.read(self._device)
        self._fold(peak)
        self._peaks.reset(self._device, stats)
        lap = Lap(allocated)
        self._open.add(lap)
        return lap

    def close(self, lap: Lap) -> tuple[int, int, int]:
        """Bytes at the lap's start, at its end, and at most."""
        allocated, peak, _stats = self._peaks.read(self._device)
        self._fold(peak)
        self._open.discard(lap)
        return lap.before, allocated, max(lap.most, allocated)

    def _fold(self, peak: int) -> None:
        for lap in self._open:
            lap.most = max(lap.most, peak)


class Peaks:
    """Reads and resets the allocator's peaks, and keeps the program's own right."""

    #: Functions that tell peaks, and those that reset them.
    TELL = (
        "max_memory_allocated",
        "max_memory_reserved",
        "memory_stats",
        "memory_stats_as_nested_dict",
    )
    RESET = ("reset_peak_memory_stats", "reset_max_memory_allocated", "reset_max_memory_cached")

    _known: dict[int, Peaks] = {}  # noqa: RUF012 # one a module: it stands in for its functions

    @classmethod
    def of(cls, probe: Probe) -> Peaks:
        module = probe.module
        known = cls._known.get(id(module))
        if known is None or known.module is not module:
            known = cls._known[id(module)] = cls(probe)
        return known

    def __init__(self, probe: Probe) -> None:
        self.module = probe.module
        self._real: dict[str, Callable[..., Any]] = {}
        #: By device: the peaks before our last reset, by group and pool.
        self._folded: dict[int, _Numbers] = {}
        faces = _faces(probe)
        allocated = [getattr(face, "memory_allocated", None) for face in faces]
        self._allocated = next((one for one in allocated if one is not None), None)
        #: Whether this kind of device counts memory and lets its peak be reset.
        self.is_there = self._allocated is not None and all(
            any(hasattr(face, name) for face in faces)
            for name in ("max_memory_allocated", "reset_peak_memory_stats")
        )
        if not self.is_there:
            return
        for module in faces:
            for name in self.TELL:
                self._stand_in(module, name, self._telling)
            for name in self.RESET:
                self._stand_in(module, name, self._resetting)

    def _stand_in(self, module: Any, name: str, wrap: Callable[..., Any]) -> None:
        function = getattr(module, name, None)
        if function is None or hasattr(function, "__laptime__"):
            return
        self._real.setdefault(name, function)
        stand_in = functools.wraps(function)(wrap(function))
        stand_in.__laptime__ = True  # type: ignore[attr-defined]
        setattr(module, name, stand_in)

    def _telling(self, function: Callable[..., Any]) -> Callable[..., Any]:
        reserved = "reserved" in function.__name__

        def tell(device: Any = None) -> Any:
            told = function(device)
            folded = self._folded.get(self._index(device)) if self._folded else None
            if not folded:
                return told
            if isinstance(told, dict):
                _raise(cast("_Numbers", told), folded)
                return cast("_Numbers", told)
            group = folded.get("reserved_bytes" if reserved else "allocated_bytes", {})
            return max(told, group.get("all", {}).get("peak", 0))

        return tell

    def _resetting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def reset(device: Any = None) -> Any:
            if self._folded:
                self._folded.pop(self._index(device), None)
            return function(device)

        return reset

    def _index(self, device: Any) -> int:
        if isinstance(device, int):
            return device
        index = getattr(device, "index", None)
        if isinstance(device, str) and ":" in device:
            index = int(device.partition(":")[2])
        if index is None:
            ask = getattr(self.module, "current_device", lambda: 0)
            return int(ask())
        return int(index)

    def read(self, device: int | None) -> tuple[int, int, dict[str, Any]]:
        """Bytes allocated, the most since the last reset, and all numbers by group and pool.

        The nested form is read where there is one: the flat one costs ten times as much.
        """
        nested = self._real.get("memory_stats_as_nested_dict")
        stats = nested(device) if nested is not None else None
        if not stats or "allocated_bytes" not in stats:
            peak = int(self._real["max_memory_allocated"](device))
            assert self._allocated is not None
            now = int(self._allocated(device))
            stats = {"allocated_bytes": {"all": {"current": now, "peak": peak}}}
        allocated = stats["allocated_bytes"]["all"]
        return int(allocated["current"]), int(allocated["peak"]), stats

    def reset(self, device: int | None, stats: dict[str, Any]) -> None:
        """Keeps the program's peaks, and lets the allocator's begin anew."""
        _keep(self._folded.setdefault(self._index(device), {}), stats)
        self._real["reset_peak_memory_stats"](device)


def _faces(probe: Probe) -> list[Any]:
    """The modules through which a program reads the peaks of this kind of device."""
    faces = [probe.module, getattr(probe.module, "memory", None)]
    accelerator = getattr(probe.torch, "accelerator", None)
    current = getattr(accelerator, "current_accelerator", lambda: None)()
    if getattr(current, "type", None) == probe.kind:
        faces += [accelerator, getattr(accelerator, "memory", None)]
    return [face for face in faces if face is not None]


def _keep(kept: _Numbers, told: _Numbers) -> None:
    """Keeps each peak that is higher than the one that is kept."""
    for name, value in told.items():
        if isinstance(value, dict):
            _keep(kept.setdefault(name, {}), cast("_Numbers", value))
        elif name == "peak":
            kept[name] = max(kept.get(name, 0), value)


def _raise(told: _Numbers, kept: _Numbers, prefix: str = "") -> None:
    """Makes each peak of what was told, flat or nested, as high as the one that was kept."""
    for name, value in kept.items():
        inner = None if prefix else told.get(name)
        if isinstance(inner, dict) and isinstance(value, dict):
            _raise(cast("_Numbers", inner), cast("_Numbers", value))
        elif isinstance(value, dict):
            _raise(told, cast("_Numbers", value), f"{prefix}{name}.")
        elif f"{prefix}{name}" in told:
            told[f"{prefix}{name}"] = max(told[f"{prefix}{name}"], value)
