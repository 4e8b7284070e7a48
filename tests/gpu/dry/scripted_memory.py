"""PyTorch's allocator, scripted: tensors of bytes that `torch.empty` makes count as the device's.

It is the tests' fake allocator, of which the pack has a copy.
"""

from __future__ import annotations

import weakref
from typing import Any

from fake_allocator import Allocators


class Memory:
    """One device's."""

    def __init__(self) -> None:
        self.allocators = Allocators()

    def empty_cache(self) -> None:
        self.allocators.empty_cache()

    def install(self, torch: Any) -> None:
        real, allocators = torch.empty, self.allocators
        core = torch._C

        def empty(*size: Any, **options: Any) -> Any:
            tensor = real(*size, **options)
            if options.get("dtype") is torch.uint8:
                allocators.allocate(tensor.numel())
                weakref.finalize(tensor, allocators.free, tensor.numel())
            return tensor

        torch.empty = empty
        core._cuda_memoryStats = allocators.stats
        core._cuda_resetPeakMemoryStats = allocators.reset
