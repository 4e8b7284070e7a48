"""Memory of one iteration, counted in one that is run after those that are timed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._core import memory_close, memory_open, memory_start, memory_stop
from ..device.usage import Peak, usage
from ..device.wait import finish_all

if TYPE_CHECKING:
    from collections.abc import Callable

#: Net and peak above what was there before, or why they aren't known.
Counted = tuple[tuple[int, int] | None, str | None]


def memory_of(
    fn: Callable[..., Any], arguments: Callable[[], tuple[Any, ...]], kwargs: dict[str, Any]
) -> dict[str, Counted]:
    """What an iteration allocates on the host, and on the device in use."""
    return {
        "host": _host(fn, arguments(), kwargs),
        "device": _device(fn, arguments(), kwargs),
    }


def _host(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Counted:
    began, reason = memory_start(objects=True)
    try:
        # What counting itself allocates is about the same around nothing, from the second time on.
        _counted(_nothing, (), {})
        ours = _counted(_nothing, (), {})
        found = None if ours is None else _counted(fn, args, kwargs)
    finally:
        if began:
            memory_stop()
    if reason is not None:
        return None, reason
    if ours is None or found is None:
        return None, "counting ended while the iteration ran"
    return (found[0] - ours[0], max(found[1] - ours[1], 0)), None


def _counted(
    fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
) -> tuple[int, int] | None:
    token = memory_open()
    result = fn(*args, **kwargs)
    finish_all(result)
    del result
    return memory_close(token)


def _nothing() -> None:
    """Allocates nothing."""


def _device(fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]) -> Counted:
    before, reason = usage()
    if before is None:
        return None, reason
    peak = Peak()
    peak.begin()
    result = fn(*args, **kwargs)
    finish_all(result)
    del result
    after, reason = peak.end()
    if after is None:
        return None, reason
    net, most = after.allocated - before.allocated, after.most - before.allocated
    return (net, max(most, 0)), None
