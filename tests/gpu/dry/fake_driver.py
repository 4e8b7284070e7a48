"""The fake driver of CUDA as a scripted PyTorch uses it: streams, events, work, captures.

Its clock stands still but for what happens here: a launch takes the host 2 µs, and waiting jumps to
where the device has done its work.
"""

from __future__ import annotations

import ctypes
import threading

LAUNCH_NS = 2_000
GLOBAL = 0


class Driver:
    """`libcuda.so.1`, which LD_LIBRARY_PATH must find among the fakes."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL("libcuda.so.1")
        self.library.fake_stream.restype = ctypes.c_size_t
        self._here = threading.local()
        self._capture: int | None = None

    def use(self) -> None:
        """The program uses the first device that it sees."""
        self.library.fake_use_device(0)
        self._main = self.library.fake_stream()
        self._other = self.library.fake_stream()
        self._here.stream = self._main

    def stream(self) -> int:
        """The calling thread's: the main thread has one, all others share one."""
        return getattr(self._here, "stream", self._other)

    def launch(self, ns: int) -> None:
        """Work of a kernel, behind what the stream has. In a capture nothing runs."""
        if self._capture is None:
            self.library.fake_work(ctypes.c_size_t(self.stream()), ctypes.c_uint64(ns))
        self.library.fake_advance(ctypes.c_uint64(LAUNCH_NS))

    def synchronize(self) -> None:
        self.check(self.library.cuStreamSynchronize(ctypes.c_size_t(self.stream())))

    def begin_capture(self) -> None:
        self._capture, self._before = self.library.fake_stream(), self.stream()
        self._here.stream = self._capture
        self.check(self.library.fake_begin_capture(ctypes.c_size_t(self._capture), GLOBAL))

    def end_capture(self) -> None:
        captured, self._capture = self._capture, None
        self._here.stream = self._before
        code = self.library.fake_end_capture(ctypes.c_size_t(captured or 0))
        if code != 0:
            raise RuntimeError(f"CUDA error: the capture was lost (scripted, code {code})")

    def is_capturing(self) -> bool:
        return self._capture is not None and self.stream() == self._capture

    @staticmethod
    def check(code: int) -> None:
        if code != 0:
            raise RuntimeError(f"CUDA error {code} (scripted)")
