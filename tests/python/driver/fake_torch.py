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
        cuda.fake_now.restype = ctypes.c_uint64
        cuda.fake_work.argtypes = [ctypes.c_size_t, ctypes.c_uint64]
        cuda.fake_advance.argtypes = [ctypes.c_uint64]
        self.stream = self.number = 0
        #: Handles of PyTorch's own streams, by their numbers.
        self.pool: dict[int, int] = {}
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
        core._cuda_getCurrentStream = lambda device: (self.number, 0, 1)
        core._cuda_setStream = self._set_stream
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

    def _set_stream(self, *, stream_id: int, device_index: int, device_type: int) -> None:
        # A stream of the program's own has its handle as its number.
        self.number, self.stream = stream_id, self.pool.get(stream_id, stream_id)

    def start(self) -> None:
        """The program's first use of CUDA, as PyTorch sees it."""
        torch.cuda._lazy_init()
        self.driver.fake_use_device(0)
        self.pool = {number: self.driver.fake_stream() for number in (3, 35)}
        self.use(3)

    def use(self, number: int) -> None:
        """Makes a stream the current one."""
        torch.cuda._set_stream_by_id(number, 0, 1)

    def now_ms(self) -> float:
        """The device's time."""
        return float(self.driver.fake_now() / MS)

    def work(self, ms: int, stream: int | None = None) -> None:
        """Enqueues work."""
        self.driver.fake_work(self.stream if stream is None else stream, ms * MS)

    def advance(self, ms: int) -> None:
        """Lets the device's time pass."""
        self.driver.fake_advance(ms * MS)
