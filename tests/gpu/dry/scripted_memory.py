"""PyTorch's allocator, scripted: tensors of bytes that `torch.empty` makes count as the device's.

Its blocks and its history are those of the tests' fake allocator, of which the pack has a copy.
"""

from __future__ import annotations

import weakref
from typing import Any

from fake_history import HistoryAllocators, give_history


class Memory:
    """One device's."""

    def __init__(self) -> None:
        self.allocators = HistoryAllocators()

    def empty_cache(self) -> None:
        self.allocators.empty_cache()

    def install(self, torch: Any) -> None:
        real, allocators = torch.empty, self.allocators
        core = torch._C

        def empty(*size: Any, **options: Any) -> Any:
            tensor = real(*size, **options)
            if options.get("dtype") is torch.uint8:
                address = allocators.allocate(tensor.numel())
                weakref.finalize(tensor, allocators.free, address)
            return tensor

        torch.empty = empty
        core._cuda_memoryStats = allocators.stats
        core._cuda_resetPeakMemoryStats = allocators.reset
        give_history(torch, allocators)
