"""A `torch` whose allocators keep a history: the switch, and what is handed out."""

from __future__ import annotations

import sys
import types
from collections.abc import Callable
from typing import Any

import fake_allocator
from fake_allocator import Allocators
from fake_blocks import Blocks


class HistoryAllocators(Allocators):
    def __init__(self, count: int = 1) -> None:
        super().__init__(count, Blocks)
        self.snapshots: list[Any] = []
        #: Called in the midst of a snapshot, as other threads allocate there.
        self.meanwhile: Callable[[], None] = lambda: None
        #: Whether a snapshot of a pool has the entries of that pool only.
        self.sorts_entries = False

    def record(self, enabled: Any, entries: int, clear: bool) -> None:
        for device in self.real:
            device.record(enabled, entries, clear)

    def snapshot(self, pool: Any) -> dict[str, Any]:
        self.snapshots.append(pool)
        taken = [device.snapshot(pool is None) for device in self.real]
        self.meanwhile()
        is_sorted = self.sorts_entries and pool is not None
        return {
            "segments": [segment for _, segments in taken for segment in segments],
            "device_traces": [[] if is_sorted else trace for trace, _ in taken],
            "external_annotations": [],
        }


def give_history(torch: Any, allocators: HistoryAllocators) -> None:
    """What `torch._C` has of it."""
    core = torch._C

    def _cuda_record_memory_history(
        enabled: Any,
        context: Any,
        stacks: str,
        max_entries: int,
        clear_history: bool,
        compile_context: bool,
        global_record_annotations: bool,
        skip_actions: list[str],
        record_pinned_host_memory: bool,
        record_cuda: bool,
    ) -> None:
        allocators.record(enabled, max_entries, clear_history)

    def _cuda_memorySnapshot(pool: Any) -> dict[str, Any]:
        return allocators.snapshot(pool)

    def _cuda_resetAccumulatedMemoryStats(device: int) -> None:
        allocators.real[device].restart_counts()

    core._cuda_record_memory_history = _cuda_record_memory_history
    core._cuda_isHistoryEnabled = lambda: allocators.real[0].is_recorded
    core._cuda_memorySnapshot = _cuda_memorySnapshot
    core._cuda_resetAccumulatedMemoryStats = _cuda_resetAccumulatedMemoryStats


def fake_torch(allocators: HistoryAllocators, *, initialized: bool = True) -> Any:
    """With the functions in Python that go through them."""
    torch = fake_allocator.fake_torch(allocators, initialized=initialized)
    give_history(torch, allocators)
    memory: Any = types.ModuleType("torch.cuda.memory")

    def _record_memory_history(
        enabled: Any = "all",
        context: Any = "all",
        stacks: str = "all",
        max_entries: int = sys.maxsize,
        clear_history: bool = False,
    ) -> None:
        more = (clear_history, False, False, [], False, True)
        torch._C._cuda_record_memory_history(enabled, context, stacks, max_entries, *more)

    memory._record_memory_history = _record_memory_history
    memory._snapshot = lambda: torch._C._cuda_memorySnapshot(None)
    torch.cuda.memory = memory
    return torch
