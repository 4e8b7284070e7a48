"""A function whose input is made anew for each iteration, outside of the measured time.

Inputs are made some at a time and then used up in one loop, so that the clock is read around many
calls of a short function: as many as are made in `_AHEAD_NS`, so that large ones don't fill memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .._core import now, ticks_to_ns
from ..device.wait import finish_devices, holds_jax, wait_for
from ._loop import Measured, loop_over

if TYPE_CHECKING:
    from collections.abc import Callable

#: Inputs are made ahead for so long: of what takes longer there is one at a time.
_AHEAD_NS = 10_000_000


class Prepared(Measured):
    """Measures `fn(setup())`, or `fn(*setup())` where that is a tuple, without the setup."""

    def __init__(self, fn: Callable[..., Any], setup: Callable[[], Any]) -> None:
        if not callable(setup):
            raise TypeError(f"setup is a function that makes the input, not {setup!r}")
        self._setup = setup
        self._count: int | None = None
        self._awaits_each = False
        super().__init__(fn)

    def run(self, iterations: int) -> tuple[int, int]:
        """As `Measured.run`; `aside` is what making the inputs took."""
        left, ticks, cpu_ns, self.aside = iterations, 0, 0, 0
        while left:
            inputs = self._made(left)
            more, more_cpu_ns = self._timed(iter(inputs[:-1]), iter(inputs[-1:]), len(inputs))
            left, ticks, cpu_ns = left - len(inputs), ticks + more, cpu_ns + more_cpu_ns
        return ticks, cpu_ns

    def arguments(self) -> tuple[Any, ...]:
        """Makes the arguments of one call."""
        made = self._setup()
        is_several = isinstance(made, tuple) and not hasattr(made, "_fields")
        given: tuple[Any, ...] = made if is_several else (made,)
        if self._count is None:
            self._count = len(given)
            self._loop = self._loop_that(awaits_each=self._awaits_each)
        elif self._count != len(given):
            raise ValueError(
                f"setup() gave {self._count} arguments the first time, and then {len(given)}"
            )
        return given

    def _made(self, most: int) -> list[tuple[Any, ...]]:
        begun = now()
        made = [self.arguments()]
        while len(made) < most and ticks_to_ns(now() - begun) < _AHEAD_NS:
            made.append(self.arguments())
        if holds_jax(made[0]):
            wait_for(made)
        finish_devices(made)
        self.aside += now() - begun
        return made

    def _loop_that(self, *, awaits_each: bool) -> Callable[..., Any]:
        self._awaits_each = awaits_each
        return loop_over(self._count or 0, awaits_each)
