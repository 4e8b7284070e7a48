"""A function that gets the same input in each iteration, and may have changed it in the first."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Iterator
from operator import is_, length_hint
from statistics import median
from types import BuiltinMethodType, GeneratorType, MethodType
from typing import TYPE_CHECKING, Any

from .._core import duration_text, ticks_to_ns
from ._batches import is_changed
from ._loop import Measured

if TYPE_CHECKING:
    from collections.abc import Callable

#: What is copied to be compared after the first iteration, at most: elements, or bytes of an array.
_MOST = 1 << 24
#: A first iteration is far from all others where it is the longest, takes so many times as long as
#: their median…
_FAR_RATIO = 10
#: …and so much longer: a call costs some hundred microseconds more the first time in any case.
_FAR_NS = 1_000_000


class Repeated(Measured):
    """As `Measured`; `doubts` says where later iterations may have done other work than the first.

    `way_out` is how an input is asked for that is new each time.
    """

    def __init__(
        self, fn: Callable[..., Any], args: Any = (), kwargs: Any = None, *, way_out: str
    ) -> None:
        super().__init__(fn, args, kwargs)
        self._way_out = way_out
        self._before = [_Before(name, one) for name, one in _inputs(*self._called)]
        self._changed: list[str] = []
        self._first_ns = self._first_worked_ns = 0.0
        self._others_ns: list[float] = []

    def run(self, iterations: int) -> tuple[int, int]:
        """As `Measured.run`."""
        ticks, cpu_ns = super().run(iterations)
        each_ns = ticks_to_ns(ticks) / iterations
        if self._first_ns:
            self._others_ns.append(each_ns)
        else:
            self._first_ns = each_ns
            self._first_worked_ns = min(each_ns, cpu_ns / iterations)
            self._changed = [one.name for one in self._before if one.is_changed()]
            self._before = []
        return ticks, cpu_ns

    def doubts(self) -> list[str]:
        """Says what changed in the first iteration, or that it took far longer than all others."""
        said = super().doubts()
        if self._changed:
            said.append(
                f"It changes its input ({', '.join(self._changed)}): later iterations got what the "
                f"first one left. {self._way_out} makes new input for each."
            )
        elif self._is_first_far():
            said.append(
                f"The first iteration took {duration_text(self._first_ns)}, the others "
                f"{duration_text(median(self._others_ns))}. If it uses up its input, the others "
                f"did other work: {self._way_out} makes new input for each."
            )
        return said

    def _is_first_far(self) -> bool:
        others_ns, first_ns = self._others_ns, self._first_ns
        if not others_ns or first_ns < max(others_ns):
            return False
        usual_ns = median(others_ns)
        # What it waited for a CPU is no work that the others weren't given.
        worked_ns = self._first_worked_ns
        return worked_ns > _FAR_RATIO * usual_ns and worked_ns - usual_ns > _FAR_NS


class _Before:
    """An input as it was before the first iteration."""

    def __init__(self, name: str, value: Any) -> None:
        self.name = name
        self._value = value
        self._kept = _content(value)

    def is_changed(self) -> bool:
        now = _content(self._value)
        if type(now) is not type(self._kept):
            return True
        if isinstance(now, tuple):
            return len(now) != len(self._kept) or not all(map(is_, now, self._kept))
        if type(now).__name__ == "ndarray":
            return is_changed(now, self._kept)
        return bool(now != self._kept)


def _inputs(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """What a function is given, by the names that a sentence has for it."""
    if isinstance(fn, (MethodType, BuiltinMethodType)):
        yield f"the {type(fn.__self__).__name__} whose method it is", fn.__self__
    for place, one in enumerate(args, 1):
        yield f"argument {place}: {type(one).__name__}", one
    for name, one in kwargs.items():
        yield f"{name}: {type(one).__name__}", one


def _content(value: Any) -> Any:
    """What tells whether a value has been changed; None of a kind that isn't looked into."""
    kind = type(value)
    if kind in (list, deque, set, dict):
        if len(value) > _MOST:
            return len(value)
        return (*value, *value.values()) if kind is dict else tuple(value)
    if kind is bytearray:
        return bytes(value[:_MOST])
    if kind is GeneratorType:
        return value.gi_frame is None
    if issubclass(kind, Iterator):
        return length_hint(value, -1)
    torch: Any = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        # Raised by one change in place each; those made in inference mode have none.
        return None if value.is_inference() else value._version
    array: Any = getattr(sys.modules.get("numpy"), "ndarray", ())
    if isinstance(value, array):
        return value.copy() if value.nbytes <= _MOST else None
    return None
