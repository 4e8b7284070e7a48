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
    return [
        (event.name, event.time_range.elapsed_us() / 1e6)
        for event in profiler.events() or []
        if event.device_type.name == "CUDA" and SLEEP not in event.name
    ]
