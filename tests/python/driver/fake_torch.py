"""Makes this process's PyTorch one that uses CUDA once it starts it, on the fake driver."""

from __future__ import annotations

import ctypes
from typing import Any

import torch

MS = 1_000_000


class Device:
    """The fake device, whose clock the program turns."""

    def __init__(self) -> None:
        cuda = self.driver = ctypes.CDLL("libcuda.so.1")
        cuda.fake_stream.restype = ctypes.c_size_t
        cuda.fake_work.argtypes = [ctypes.c_size_t, ctypes.c_uint64]
        cuda.fake_advance.argtypes = [ctypes.c_uint64]
        self.stream = 0
        self.cuda: Any = torch.cuda
        #: How often CUDA was started.
        self.starts = 0
        #: Questions to PyTorch that would have started CUDA.
        self.asked_too_early = 0
        core: Any = torch._C
        core._cuda_init = self._init
        core._cuda_getDeviceCount = lambda: 1
        core._cuda_getDevice = lambda: self._asked() or 0
        core._cuda_getCurrentRawStream = lambda device: self._asked() or self.stream
        # What PyTorch itself does when CUDA starts needs a device.
        self.cuda._cudart = object()
        torch.cuda._queued_calls[:] = [
            call for call in torch.cuda._queued_calls if "torch" not in call[0].__module__
        ]
        torch.cuda._lazy_seed_tracker.get_calls = list

    def _init(self) -> None:
        self.starts += 1

    def _asked(self) -> None:
        self.asked_too_early += not torch.cuda.is_initialized()

    def start(self) -> None:
        """The program's first use of CUDA, as PyTorch sees it."""
        torch.cuda._lazy_init()
        self.driver.fake_use_device(0)
        self.stream = self.driver.fake_stream()

    def work(self, ms: int, stream: int | None = None) -> None:
        """Enqueues work."""
        self.driver.fake_work(self.stream if stream is None else stream, ms * MS)

    def advance(self, ms: int) -> None:
        """Lets the device's time pass."""
        self.driver.fake_advance(ms * MS)
