"""Calls that are timed and leave a value in `timers`: time, memory, device memory.

Waiting for a device, reading memory and printing lie outside of the interval, but for the wait
at its end: what a function launched belongs to its time.
"""

from __future__ import annotations

from collections.abc import Callable
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import ParamSpec, TypeVar

from ..._core import visible_text
from ...device.usage import Peak, Usage, usage
from . import memory
from .output import is_quiet, say_done, say_why
from .timers import Call, Timers, check_call

P = ParamSpec("P")
R = TypeVar("R")

_MB = 1 << 20
_UNFINISHED = (CoroutineType, GeneratorType, AsyncGeneratorType)


def line(name: str, seconds: float, rest: str) -> str:
    """What a tracked call prints when it is done, to the character: people parse it."""
    return f"{visible_text(name)} complete: {seconds:.2f}s{rest}"


def _said(what: str, peak: int | None) -> str:
    return "" if peak is None else f", {what}: {peak / _MB:.1f} MB"


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
        call.result = result = func(*args, **kwargs)
    finally:
        seconds = call.stop()
        call.keep(timers, seconds)
    _finish(result, lambda: line(name, seconds, " total"))
    return result


def enable_memory_tracking() -> None:
    """Counts memory from now on. `track_time_and_memory` does so by itself at its first use."""
    memory.start()


def track_time_and_memory(
    timers: Timers, name: str, func: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs
) -> R:
    """As `track_time`, and stores `{'time', 'peak_memory_mb', 'current_memory_mb'}`.

    Both are MB of 2**20 bytes above what was there before the call. `current_memory_mb` is what
    the call allocated less what it freed; `peak_memory_mb` the largest that was at any moment of
    it. Tensors, other native buffers and Python objects are counted one by one.
    """
    check_call(timers, name, func)
    call = Call(name, memory.HostMemory())
    seconds = 0.0
    peak: int | None = None
    try:
        call.result = result = func(*args, **kwargs)
    finally:
        seconds = call.stop()
        current, peak = call.measured or (None, None)
        value = {"time": seconds, "peak_memory_mb": _mb(peak), "current_memory_mb": _mb(current)}
        call.keep(timers, value)
    _finish(result, lambda: line(name, seconds, _said("peak memory", peak)))
    return result


def _mb(number: int | None) -> float | None:
    return None if number is None else number / _MB


def track_time_and_gpu(
    timers: Timers, name: str, func: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs
) -> R:
    """As `track_time`, and stores `{'time', 'allocated_mb', 'reserved_mb', 'max_allocated_mb'}`.

    The figures are the current device's, in MB of 2**20 bytes: what is there after the call, and
    the most that was there at any moment of it. Without a device they are None, and the logger
    says why, once.
    """
    check_call(timers, name, func)
    call = Call(name, Peak())
    seconds = 0.0
    found: Usage | None = None
    try:
        call.result = result = func(*args, **kwargs)
    finally:
        seconds = call.stop()
        found, reason = call.measured
        call.keep(timers, {"time": seconds, **_usage(found, reason)})
    _finish(result, lambda: line(name, seconds, _said("GPU peak", found and found.most)))
    return result


def get_gpu_memory_usage() -> dict[str, float | None]:
    """`{'allocated_mb', 'reserved_mb', 'max_allocated_mb'}` of the current device now.

    In MB of 2**20 bytes; None without a device, and the logger says why, once.
    """
    return _usage(*usage())


def _usage(found: Usage | None, reason: str | None) -> dict[str, float | None]:
    if found is None:
        say_why(f"GPU memory is not measured: {reason}")
        return {"allocated_mb": None, "reserved_mb": None, "max_allocated_mb": None}
    return {
        "allocated_mb": found.allocated / _MB,
        "reserved_mb": found.reserved / _MB,
        "max_allocated_mb": found.most / _MB,
    }
