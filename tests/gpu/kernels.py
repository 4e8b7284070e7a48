"""Kernels that PyTorch's profiler saw: names and seconds."""

from __future__ import annotations

from collections.abc import Callable

import torch

#: What `torch.cuda._sleep` runs.
SLEEP = "spin_kernel"


def kernels(work: Callable[[], None]) -> list[tuple[str, float]]:
    """Does the work, and tells its kernels, no sleeps. None where no device is seen."""
    activities = [torch.profiler.ProfilerActivity.CUDA]
    with torch.profiler.profile(activities=activities) as profiler:
        work()
        torch.cuda.synchronize()
    device = torch.autograd.DeviceType.CUDA
    return [
        (event.name, event.time_range.elapsed_us() / 1e6)
        for event in profiler.events()
        if event.device_type == device and SLEEP not in event.name
    ]
