"""Calls that are timed and leave a value in `timers`: time, memory, device memory.

Waiting for a device, reading memory and printing lie outside of the interval, but for the wait
at its end: what a function launched belongs to its time.
"""

from __future__ import annotations

from collections.abc import Callable
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import ParamSpec, TypeVar

from .. import _device, _memory
from .._core import megabytes, timing_line
from .output import is_quiet, say_done, say_why
from .timers import Call, Timers, check_call

P = ParamSpec("P")
R = TypeVar("R")

_UNFINISHED = (CoroutineType, GeneratorType, AsyncGeneratorType)


def _finish(result: object, line: Callable[[], str]) -> None:
    if not is_quiet():
        say_done(line())
    if isinstance(result, _UNFINISHED):
        say_why(
            f"a tracked function returned a {type(result).__name__}: what it does later is not "  # pyright: ignore[reportUnknownArgumentType]
            "timed; track the function that runs it"
        )


def track_time(
    timers: Timers, name: str, func: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs
) -> R:
    """Runs `func(*args, **kwargs)`, stores its seconds in `timers[name]`, and returns its result.

    Prints `{name} complete: 45.32s total`. When `func` raises, the time so far is stored and the
    exception goes on. The call is a span of its name.
    """
    check_call(timers, name, func)
    call = Call(name)
    seconds = 0.0
    try:
        result = func(*args, **kwargs)
    finally:
        seconds = call.stop()
        call.keep(timers, seconds)
    _finish(result, lambda: timing_line(name, seconds))
    return result


def enable_memory_tracking() -> None:
    """Gets ready to measure memory. `track_time_and_memory` does so by itself at its first use."""
    if reason := _memory.start():
        say_why(reason)


def track_time_and_memory(
    timers: Timers, name: str, func: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs
) -> R:
    """As `track_time`, and stores `{'time', 'peak_memory_mb', 'current_memory_mb'}`.

    Both are MB of 2**20 bytes above the level before the call: at its highest, and after it
    (negative when the call freed memory). Tensors and other native buffers are counted.
    """
    check_call(timers, name, func)
    enable_memory_tracking()
    region = _memory.Region()
    call = Call(name)
    seconds, peak = 0.0, 0
    try:
        result = func(*args, **kwargs)
    finally:
        seconds = call.stop()
        peak, current = region.finish()
        memory = {"peak_memory_mb": megabytes(peak), "current_memory_mb": megabytes(current)}
        call.keep(timers, {"time": seconds, **memory})
    _finish(result, lambda: timing_line(name, seconds, "host", peak))
    return result


class _DevicePeak:
    """The most allocated on the device from here on; PyTorch has one such mark for all."""

    _open: list[_DevicePeak] = []  # noqa: RUF012 # shared on purpose

    def __init__(self) -> None:
        self._note()
        self.most = 0
        self._open.append(self)
        _device.reset_peak()

    def _note(self) -> None:
        read = _device.memory()
        for one in self._open:
            one.most = max(one.most, read[2] if read else 0)

    def finish(self) -> None:
        self._note()
        self._open.remove(self)


def track_time_and_gpu(
    timers: Timers, name: str, func: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs
) -> R:
    """As `track_time`, and stores `{'time', 'allocated_mb', 'reserved_mb', 'max_allocated_mb'}`.

    The figures are the current device's, in MB of 2**20 bytes; the peak is that of the call.
    Without a GPU they are None, and the logger says why, once.
    """
    check_call(timers, name, func)
    peak = _DevicePeak()
    call = Call(name)
    seconds = 0.0
    most: int | None = None
    try:
        result = func(*args, **kwargs)
    finally:
        seconds = call.stop()
        peak.finish()
        usage = get_gpu_memory_usage()
        if usage["allocated_mb"] is not None:
            most = peak.most
            usage["max_allocated_mb"] = megabytes(most)
        call.keep(timers, {"time": seconds, **usage})
    _finish(result, lambda: timing_line(name, seconds, "device", most))
    return result


def get_gpu_memory_usage() -> dict[str, float | None]:
    """`{'allocated_mb', 'reserved_mb', 'max_allocated_mb'}` of the current device now.

    In MB of 2**20 bytes; None without a GPU, and the logger says why, once.
    """
    names = ("allocated_mb", "reserved_mb", "max_allocated_mb")
    read = _device.memory()
    if read is None:
        say_why(f"GPU memory is not measured: {_device.available()[1]}")
        return dict.fromkeys(names)
    return {name: megabytes(number) for name, number in zip(names, read)}
