"""Laps are timed on the device that PyTorch computes on, by events on its streams.

Nothing is synchronised: what a lap enqueued is read when the device got there. Only devices of
NVIDIA's are timed, as their driver is the only one that Laptime opens.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._core import asked, time_on_devices


def follow(torch: Any) -> bool:
    """Times laps on the streams of a program that uses CUDA; whether they are timed from now on.

    Cost: per lap, asking for the current stream and two events.
    """
    cuda = getattr(torch, "cuda", None)
    if cuda is None or not cuda.is_initialized() or torch.version.hip or not asked().times_devices:
        return False
    time_on_devices(_current_device(torch), _current_stream(torch))
    return True


def _current_device(torch: Any) -> Callable[[], int]:
    # The public ones initialise CUDA first, and look at the interpreter's modules at each call.
    return getattr(torch._C, "_cuda_getDevice", torch.cuda.current_device)


def _current_stream(torch: Any) -> Callable[[int], int]:
    raw = getattr(torch._C, "_cuda_getCurrentRawStream", None)
    return raw or (lambda index: torch.cuda.current_stream(index).cuda_stream)
