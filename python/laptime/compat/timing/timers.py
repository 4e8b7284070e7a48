"""The `timers` dictionary: its seconds, what in it ran inside what, and what it must not hold.

A timer is a number of seconds or a dictionary with the key `time`. Which of them ran inside
another is known of values that a `track_*` function stored: by the identity of the stored value,
so it holds for copies of the dictionary too, and ends when a value is replaced.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Mapping, MutableMapping
from contextvars import ContextVar
from typing import Any, Protocol, TypeAlias, cast

from ..._core import close_span, now, open_span, raised_by_handler, ticks_to_seconds
from ...device.wait import synchronize, wait_for

Timers: TypeAlias = MutableMapping[str, Any]

# Nested values remembered; beyond, the oldest count as outermost again.
_MOST_NESTED = 10_000
_innermost: ContextVar[Call | None] = ContextVar("laptime.timing", default=None)
_nested: dict[int, Call] = {}


class Gauge(Protocol):
    """What a call measures beside its time."""

    def begin(self) -> None:
        """Begins, just before the call."""

    def end(self) -> Any:
        """Ends, just after it, and tells what was measured."""


class Call:
    """A tracked call: a span while it runs, and where its value stands afterwards."""

    __slots__ = (
        "_begun",
        "_gauge",
        "_reset",
        "_token",
        "measured",
        "name",
        "outer",
        "result",
        "value",
    )

    def __init__(self, name: str, gauge: Gauge | None = None) -> None:
        self.name = name
        self.value: Any = None
        self.measured: Any = None
        self.result: object = None
        self.outer = _innermost.get()
        # What was launched before belongs to nobody here.
        _wait()
        self._reset = _innermost.set(self)
        self._gauge = gauge
        if gauge is not None:
            gauge.begin()
        self._begun = now()
        self._token = open_span(name, self._begun)

    def stop(self) -> float:
        """Seconds since it began, the work it left to a device included; JAX's of its result."""
        _wait(self.result)
        self.result = None  # a value in `timers` keeps nothing alive
        ended = now()
        close_span(self._token, ended)
        if self._gauge is not None:
            self.measured = self._gauge.end()
        _innermost.reset(self._reset)
        return ticks_to_seconds(ended - self._begun)

    def keep(self, timers: Timers, value: Any) -> None:
        """Stores the value."""
        self.value = timers[self.name] = value
        if self.outer is not None:
            if len(_nested) >= _MOST_NESTED:
                _nested.pop(next(iter(_nested)), None)
            _nested[id(value)] = self


def _wait(result: object = None) -> None:
    try:
        synchronize()
        wait_for(result)
    except Exception as error:
        # A failed kernel is the program's to find, where it looks for it.
        if raised_by_handler(error):
            raise


def check_call(timers: object, name: object, func: object) -> None:
    """Refuses wrong arguments before anything runs."""
    check_timers(timers)
    check_name("name", name)
    if not callable(func):
        raise TypeError(f"func is something to call, not {type(func).__name__}")


def check_timers(timers: object) -> None:
    if not isinstance(timers, MutableMapping):
        raise TypeError(f"timers is a dictionary, not {type(timers).__name__}")


def check_name(what: str, name: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"{what} is a string, not {type(name).__name__}")


def check_count(what: str, count: object, least: int) -> int:
    """A whole number of at least `least`."""
    if isinstance(count, bool) or not isinstance(count, numbers.Integral):
        raise TypeError(f"{what} is a whole number, not {type(count).__name__}")
    if int(count) < least:
        raise ValueError(f"{what} is at least {least}, not {int(count)}")
    return int(count)


def to_seconds(what: str, value: object) -> float:
    """A finite number of seconds that is not negative."""
    convert: Callable[[], float] | None = getattr(value, "__float__", None)
    if isinstance(value, (bool, str, bytes)) or convert is None:
        raise TypeError(
            f"{what} is seconds or a dictionary with 'time', not {type(value).__name__}"
        )
    seconds = convert()
    if not math.isfinite(seconds) or seconds < 0:
        raise ValueError(f"{what} is {seconds}: no number of seconds")
    return seconds


def seconds_of(timers: Mapping[str, Any]) -> dict[str, float]:
    """The seconds of every timer, in order."""
    check_timers(timers)
    found: dict[str, float] = {}
    for name, value in timers.items():
        check_name("the name of a timer", name)
        if isinstance(value, Mapping):
            inner = cast("Mapping[str, Any]", value)
            if "time" not in inner:
                raise ValueError(f"timers[{name!r}] is a dictionary without 'time'")
            found[name] = to_seconds(f"timers[{name!r}]['time']", inner["time"])
        else:
            found[name] = to_seconds(f"timers[{name!r}]", value)
    return found


def depth(timers: Mapping[str, Any], name: str) -> int:
    """In how many other timers of the same dictionary a timer ran."""
    value = timers[name]
    call = _nested.get(id(value))
    if call is None or call.value is not value:
        return 0
    count = 0
    outer = call.outer
    while outer is not None:
        count += outer.value is not None and timers.get(outer.name) is outer.value
        outer = outer.outer
    return count
