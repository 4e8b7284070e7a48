"""The device that PyTorch computes on: the one place that waits for it and reads its memory.

PyTorch is asked only where the program has imported it.
"""

from __future__ import annotations

import sys
from typing import Any


def _cuda() -> Any:
    torch: Any = sys.modules.get("torch")
    return getattr(torch, "cuda", None)


def available() -> tuple[bool, str]:
    """Whether there is a device, and why not: empty when there is."""
    cuda = _cuda()
    if cuda is None:
        return False, "the program has not imported PyTorch"
    try:
        found = bool(cuda.is_available())
    except Exception as error:  # a broken driver must not break the program
        return False, f"PyTorch cannot use the GPU: {error}"
    return found, "" if found else "PyTorch finds no GPU"


def is_in_use() -> bool:
    """Whether the program has begun to use a device."""
    cuda = _cuda()
    return cuda is not None and bool(cuda.is_initialized())


def synchronize(device: Any = None) -> None:
    """Waits until the device (by default the current one) has done all it was given.

    Does nothing without a device in use, or while a CUDA graph is being captured.
    """
    cuda = _cuda()
    if is_in_use() and not cuda.is_current_stream_capturing():
        cuda.synchronize(device)


def memory(device: Any = None) -> tuple[int, int, int] | None:
    """Bytes allocated, reserved, and the most allocated since `reset_peak`; None without one."""
    if not available()[0]:
        return None
    cuda = _cuda()
    read = (cuda.memory_allocated, cuda.memory_reserved, cuda.max_memory_allocated)
    allocated, reserved, most = (int(one(device)) for one in read)
    return allocated, reserved, most


def reset_peak(device: Any = None) -> None:
    """Counts the largest allocation from here on. PyTorch has one such mark a device."""
    if is_in_use():
        _cuda().reset_peak_memory_stats(device)
