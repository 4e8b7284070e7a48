"""PyTorch's allocator, scripted: tensors of bytes that `torch.empty` makes count as the device's.

The counters are those of the tests' fake allocator, `fake_allocator.py`: the pack has a copy.
"""

from __future__ import annotations

import weakref
from typing import Any

from fake_allocator import Device


class Memory:
    """One device's."""

    def __init__(self) -> None:
        self.device = Device()

    def empty_cache(self) -> None:
        self.device.empty_cache()

    def install(self, torch: Any) -> None:
        real = torch.empty
        core = torch._C

        def empty(*size: Any, **options: Any) -> Any:
            tensor = real(*size, **options)
            if options.get("dtype") is torch.uint8:
                count = tensor.numel()
                self.device.allocate(count)
                weakref.finalize(tensor, self.device.free, count)
            return tensor

        def told(_device: int) -> dict[str, Any]:
            return self.device.told()

        def reset(_device: int) -> None:
            self.device.reset_peaks()

        torch.empty = empty
        core._cuda_memoryStats = told
        core._cuda_resetPeakMemoryStats = reset
