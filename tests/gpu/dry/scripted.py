"""PyTorch's CUDA, scripted over the fake driver: for experiments on a machine without a GPU.

Tensors are the CPU's. Each operator counts as a kernel of a known time on the fake device, so what
is measured there is exact. What a real PyTorch asks of the driver, this asks of the fake one.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import torch
from fake_driver import Driver
from scripted_memory import Memory
from torch.utils._python_dispatch import TorchDispatchMode

#: What a kernel takes: a matmul, one of few elements, any other.
MATMUL_NS, TINY_NS, USUAL_NS = 1_000_000_000, 1_000, 5_000
FEW = 1_024
#: Cycles of `torch.cuda._sleep` to nanoseconds.
NS_PER_CYCLE = 0.5


def install(*, is_used: bool) -> None:
    """Puts it in place, in use already or not."""
    driver = Driver()
    memory = Memory()
    launches = _Launches(driver)
    cuda: Any = torch.cuda
    is_there = dict.fromkeys(("is_available", "_is_compiled"), lambda: True)

    def init() -> None:
        if not cuda._initialized:
            driver.use()
            cuda._initialized = True
            launches.__enter__()

    stream = SimpleNamespace
    names: dict[str, Any] = {
        **is_there,
        "init": init,
        "_lazy_init": init,
        "Event": _event_of(driver),
        "CUDAGraph": _graph_of(driver),
        "graph": _capture_of(driver),
        "synchronize": lambda device=None: driver.synchronize(),
        "current_device": lambda: 0,
        "set_device": lambda device: driver.library.fake_use_device(0),
        "get_device_name": lambda device=None: "Fake GPU 0",
        "current_stream": lambda device=None: stream(cuda_stream=driver.stream()),
        "is_current_stream_capturing": driver.is_capturing,
        "_sleep": lambda cycles: driver.launch(int(cycles * NS_PER_CYCLE)),
        "mem_get_info": lambda device=None: (80 << 30, 80 << 30),
        "empty_cache": memory.empty_cache,
    }
    for name, value in names.items():
        setattr(cuda, name, value)
    # Optimizers ask it whether a graph is being captured.
    here: Any = torch.accelerator
    here.current_stream = lambda device=None: stream(is_capturing=driver.is_capturing)
    core: Any = torch._C
    core._cuda_getDevice = lambda: 0
    core._cuda_getDeviceCount = lambda: 1
    core._cuda_isInBadFork = lambda: False
    core._cuda_getCurrentRawStream = lambda device: driver.stream()
    memory.install(torch)
    torch.profiler.profile = _profile_of(launches)  # type: ignore[assignment,misc]
    _see_no_device(torch.autograd.profiler)
    if is_used:
        init()


class _Launches(TorchDispatchMode):
    """Each operator is a kernel, noted with what it takes."""

    def __init__(self, driver: Driver) -> None:
        super().__init__()
        self._driver = driver
        self.seen: list[tuple[str, int]] = []

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = func(*args, **(kwargs or {}))
        if not getattr(func, "is_view", False) and func.namespace != "profiler":
            ns = self._ns(func, result)
            self.seen.append((str(func), ns))
            self._driver.launch(ns)
        return result

    @staticmethod
    def _ns(func: Any, result: Any) -> int:
        if "mm" in str(func):
            return MATMUL_NS
        is_tiny = isinstance(result, torch.Tensor) and result.numel() <= FEW
        return TINY_NS if is_tiny else USUAL_NS


def _see_no_device(profiler: Any) -> None:
    """Keeps the real profiler, which Laptime drives, from asking a driver for times."""
    real = profiler.profile

    def profile(use_device: str | None = None, **options: Any) -> Any:
        return real(**options)

    profiler.profile = profile


def _profile_of(launches: _Launches) -> Any:
    """What stands in for PyTorch's profiler: events of the operators in between."""

    class Profile:
        def __init__(self, **_: Any) -> None:
            self._events: list[Any] = []

        def __enter__(self) -> Profile:
            self._from = len(launches.seen)
            return self

        def __exit__(self, *_: object) -> None:
            for name, ns in launches.seen[self._from :]:
                took = SimpleNamespace(elapsed_us=lambda ns=ns: ns / 1e3)
                kind = torch.autograd.DeviceType.CUDA
                self._events.append(SimpleNamespace(name=name, device_type=kind, time_range=took))

        def events(self) -> list[Any]:
            return self._events

    return Profile


def _event_of(driver: Driver) -> Any:
    cuda = driver.library

    class Event:
        def __init__(self, enable_timing: bool = False) -> None:
            handle = ctypes.c_size_t()
            driver.check(cuda.cuEventCreate(ctypes.byref(handle), 0))
            self.cuda_event: int = handle.value

        def _handle(self) -> ctypes.c_size_t:
            return ctypes.c_size_t(self.cuda_event)

        def record(self, stream: Any = None) -> None:
            on = driver.stream() if stream is None else stream.cuda_stream
            driver.check(cuda.cuEventRecord(self._handle(), ctypes.c_size_t(on)))

        def query(self) -> bool:
            return cuda.cuEventQuery(self._handle()) == 0

        def synchronize(self) -> None:
            driver.check(cuda.cuEventSynchronize(self._handle()))

        def elapsed_time(self, end: Event) -> float:
            ms = ctypes.c_float()
            both = (self._handle(), end._handle())
            driver.check(cuda.cuEventElapsedTime(ctypes.byref(ms), *both))
            return ms.value

    return Event


def _graph_of(driver: Driver) -> Any:
    class Graph:
        def replay(self) -> None:
            driver.launch(100_000)

    return Graph


def _capture_of(driver: Driver) -> Any:
    @contextmanager
    def graph(_: Any) -> Iterator[None]:
        driver.begin_capture()
        try:
            yield
        finally:
            driver.end_capture()

    return graph
