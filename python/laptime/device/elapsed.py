"""A duration on a device: a real number of seconds that waits for its own end event when used.

Not a subclass of `float`: code that reads a float's memory directly (`json` does) would see 0.0.
"""

from __future__ import annotations

import math
import numbers
import operator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from .events import Pair


def _forward(operation: Callable[[Any, Any], Any]) -> Any:
    def method(self: Any, other: Any) -> Any:
        if not isinstance(other, numbers.Number):
            return NotImplemented
        return operation(float(self), float(other) if isinstance(other, Elapsed) else other)

    return method


def _reflected(operation: Callable[[Any, Any], Any]) -> Any:
    def method(self: Any, other: Any) -> Any:
        if not isinstance(other, numbers.Number):
            return NotImplemented
        return operation(other, float(self))

    return method


class Elapsed(numbers.Real):
    """Seconds between two events; with several devices, the longest of them."""

    __slots__ = ("_known", "_pairs")

    def __init__(self, pairs: list[Pair]) -> None:
        self._pairs = pairs
        self._known: tuple[int, int] | None = None

    def settle(self, wait: bool) -> tuple[int, int] | None:
        """Nanoseconds, and the start in ticks; None while the device is behind and nobody waits."""
        if self._known is None:
            settled = [pair.settle(wait) for pair in self._pairs]
            known = [one for one in settled if one is not None]
            if len(known) < len(settled):
                return None
            self._known = max(known)
            self._pairs = []
        return self._known

    @property
    def is_ready(self) -> bool:
        """Whether using it would not wait."""
        return self.settle(wait=False) is not None

    def __float__(self) -> float:
        known = self.settle(wait=True)
        assert known is not None
        return known[0] / 1e9

    def __repr__(self) -> str:
        return repr(float(self))

    def __format__(self, spec: str) -> str:
        return format(float(self), spec)

    def __reduce__(self) -> tuple[type[float], tuple[float]]:
        return float, (float(self),)

    def __copy__(self) -> Elapsed:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Elapsed:
        return self

    def __bool__(self) -> bool:
        return float(self) != 0.0

    def __hash__(self) -> int:  # pyright: ignore[reportIncompatibleVariableOverride]
        return hash(float(self))

    def __int__(self) -> int:
        return int(float(self))

    def __trunc__(self) -> int:
        return math.trunc(float(self))

    def __floor__(self) -> int:
        return math.floor(float(self))

    def __ceil__(self) -> int:
        return math.ceil(float(self))

    def __round__(self, ndigits: int | None = None) -> Any:
        return round(float(self), ndigits)

    def __neg__(self) -> float:
        return -float(self)

    def __pos__(self) -> float:
        return float(self)

    def __abs__(self) -> float:
        return abs(float(self))

    __eq__ = _forward(operator.eq)
    __lt__ = _forward(operator.lt)
    __le__ = _forward(operator.le)
    __gt__ = _forward(operator.gt)
    __ge__ = _forward(operator.ge)
    __add__ = _forward(operator.add)
    __radd__ = _reflected(operator.add)
    __sub__ = _forward(operator.sub)
    __rsub__ = _reflected(operator.sub)
    __mul__ = _forward(operator.mul)
    __rmul__ = _reflected(operator.mul)
    __truediv__ = _forward(lambda a, b: a / b)
    __rtruediv__ = _reflected(lambda a, b: a / b)
    __floordiv__ = _forward(lambda a, b: a // b)
    __rfloordiv__ = _reflected(lambda a, b: a // b)
    __mod__ = _forward(operator.mod)
    __rmod__ = _reflected(operator.mod)
    __divmod__ = _forward(divmod)
    __rdivmod__ = _reflected(divmod)
    __pow__ = _forward(lambda a, b: a**b)
    __rpow__ = _reflected(lambda a, b: a**b)
