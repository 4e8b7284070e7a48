"""Counts that are ended at any instant, in the program's code, in torch's or in Laptime's.

A signal's handler runs where Python looks for signals: as a function begins, and after a call of
one written in C. Just there `sys.setprofile` calls what it is given, whose exception goes where
the handler's would go; and instants that are counted come again, where those of a clock do not.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from typing import Any

from torch._library import simple_registry

import laptime as lt

#: How often a program's count is struck, one after the other, before the last goes through.
STRIKES = 6
#: The events of instants at which a signal's handler may run.
_INSTANTS = ("call", "c_return")
#: PyTorch calls this from C++ in places where an exception ends the process: its own defect.
_DEADLY = simple_registry.__file__


class Struck(BaseException):
    """Raised in the midst of a count."""


class Strikes:
    """Stands in for `lt.count`: ends counts of a call at instants that a number chooses."""

    def __init__(self, number: int, strikes: int = STRIKES) -> None:
        self._dice = random.Random(number)
        self._strikes = strikes
        self.at: list[int] = []
        """The instants at which a count was struck."""

    def __call__(self, *arguments: Any, **keywords: Any) -> None:
        def once() -> None:
            lt.count(*arguments, **keywords)

        once()  # what is found out once, in torch and in Laptime, is found out here
        instants = _instants(once)
        for _ in range(self._strikes):
            at = self._dice.randrange(instants)
            self.at.append(at)
            _strike(once, at)


def _is_instant(frame: Any, event: str) -> bool:
    return event in _INSTANTS and frame.f_code.co_filename != _DEADLY


def _instants(call: Callable[[], None]) -> int:
    """How many instants a count has. What refuses it is for the caller."""
    seen = 0

    def watch(frame: Any, event: str, _argument: Any) -> None:
        nonlocal seen
        seen += _is_instant(frame, event)

    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
    return seen


def _strike(call: Callable[[], None], at: int) -> None:
    """One count, ended at an instant: what comes out of it may be another's error, or none."""
    left = at

    def watch(frame: Any, event: str, _argument: Any) -> None:
        nonlocal left
        if _is_instant(frame, event):
            if left == 0:
                sys.setprofile(None)
                raise Struck
            left -= 1

    sys.setprofile(watch)
    try:
        call()
    except BaseException as error:
        error.__traceback__ = None  # its frames would keep what the count made
    finally:
        sys.setprofile(None)
