"""PyTorch's allocator of several devices, as `torch._C` tells of it, with scripted allocations.

The dict of numbers has the shape that PyTorch 2.6 and later give it. Beside the counters that
Laptime may reset it keeps those that the program would see without Laptime.
"""

from __future__ import annotations

import types
from typing import Any


class Counter:
    def __init__(self) -> None:
        self.current = self.peak = self.allocated = self.freed = 0

    def add(self, count: int) -> None:
        self.current += count
        self.peak = max(self.peak, self.current)
        if count > 0:
            self.allocated += count
        else:
            self.freed -= count

    def told(self) -> dict[str, int]:
        return dict(vars(self))


class Device:
    """Reserves in blocks of 64, and gives none back until its cache is emptied."""

    BLOCK = 64

    def __init__(self) -> None:
        self.allocated, self.reserved, self.oversize = Counter(), Counter(), Counter()

    def _counters(self) -> tuple[Counter, ...]:
        return self.allocated, self.reserved, self.oversize

    def allocate(self, count: int) -> None:
        self.allocated.add(count)
        lacking = self.allocated.current - self.reserved.current
        if lacking > 0:
            self.reserved.add(-(-lacking // self.BLOCK) * self.BLOCK)
        self.oversize.add(1)

    def free(self, count: int) -> None:
        self.allocated.add(-count)
        self.oversize.add(-1)

    def empty_cache(self) -> None:
        kept = -(-self.allocated.current // self.BLOCK) * self.BLOCK
        self.reserved.add(kept - self.reserved.current)

    def reset_peaks(self) -> None:
        for counter in self._counters():
            counter.peak = counter.current

    def told(self) -> dict[str, Any]:
        def pools(counter: Counter) -> dict[str, dict[str, int]]:
            return {"all": counter.told(), "large_pool": counter.told()}

        return {
            "num_alloc_retries": 0,
            "allocated_bytes": pools(self.allocated),
            "reserved_bytes": pools(self.reserved),
            "oversize_allocations": self.oversize.told(),
        }


class Allocators:
    """The devices twice: as Laptime finds them, and as they would be without."""

    def __init__(self, count: int = 1) -> None:
        self.real = [Device() for _ in range(count)]
        self.alone = [Device() for _ in range(count)]
        self.current = 0
        self.resets = 0

    def each(self) -> tuple[Device, Device]:
        return self.real[self.current], self.alone[self.current]

    def allocate(self, count: int) -> None:
        for device in self.each():
            device.allocate(count)

    def free(self, count: int) -> None:
        for device in self.each():
            device.free(count)

    def empty_cache(self) -> None:
        for device in self.each():
            device.empty_cache()

    # What torch._C has.

    def stats(self, index: int) -> dict[str, Any]:
        return self.real[index].told()

    def reset(self, index: int) -> None:
        self.resets += 1
        self.real[index].reset_peaks()


def fake_torch(allocators: Allocators, *, initialized: bool = True) -> Any:
    """A `torch` for `sys.modules` whose functions go through `torch._C`, as real ones do."""
    torch: Any = types.ModuleType("torch")
    core: Any = types.ModuleType("torch._C")
    cuda: Any = types.ModuleType("torch.cuda")
    torch._C, torch.cuda = core, cuda
    torch.version = types.SimpleNamespace(cuda="13.0", hip=None)

    def _cuda_memoryStats(device: int) -> dict[str, Any]:
        return allocators.stats(device)

    def _cuda_resetPeakMemoryStats(device: int) -> None:
        allocators.reset(device)

    def asked(device: int | None) -> int:
        return allocators.current if device is None else device

    core._cuda_memoryStats = _cuda_memoryStats
    core._cuda_resetPeakMemoryStats = _cuda_resetPeakMemoryStats
    core._cuda_getDevice = lambda: allocators.current
    core._cuda_getDeviceCount = lambda: len(allocators.real)
    cuda._initialized = initialized
    cuda.is_initialized = lambda: cuda._initialized
    cuda.is_available = lambda: True
    cuda.current_device = lambda: allocators.current

    def of(group: str) -> Any:
        def most(device: int | None = None) -> int:
            return core._cuda_memoryStats(asked(device))[group]["all"]["peak"]

        return most

    cuda.max_memory_allocated, cuda.max_memory_reserved = (
        of("allocated_bytes"),
        of("reserved_bytes"),
    )
    cuda.memory_stats_as_nested_dict = lambda device=None: core._cuda_memoryStats(asked(device))
    cuda.reset_peak_memory_stats = lambda device=None: core._cuda_resetPeakMemoryStats(
        asked(device)
    )
    return torch
