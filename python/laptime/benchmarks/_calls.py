"""Calls of a model on one batch: in a row until the latency is known, or at a rate."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any

from .._core import InferencePlan, LoadPlan, now, ticks_to_ns
from ..device.tensors import tensors
from ..device.wait import finish_devices, waiter
from ._batches import arguments, copied, each, is_changed
from ._loop import Measured
from ._undisturbed import with_ordinary_tensors

if TYPE_CHECKING:
    from collections.abc import Callable

#: The system wakes a sleeper late, by less than this.
_WAKES_NS = 1_000_000


class Calls:
    """One batch, called again and again; brought to the device and back where it isn't there.

    `make` makes the batch once more: of one that the model writes into, each call has a copy.
    `at` says which batch it is, in the note on what a call raises.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        x: Any,
        make: Callable[[], Any],
        device: Any,
        count: Callable[[Any], int] | None,
        at: str,
    ) -> None:
        self._x, self._make = x, make
        self._original: Any = None
        self._is_first = True
        self._count = count
        self._tokens: int | None = None
        self._output: Any = None
        self._placed: tuple[tuple[Any, ...], dict[str, Any]] = arguments(x)
        wait = finish_devices if device is None else waiter(device)
        self._into = self._out = None
        if device is None or is_on(x, device):
            self._compute = Measured(fn, *self._placed, wait=wait, look=self._looked, at=at)
            return
        self._into = Measured(moved, (x, device), wait=wait, look=self._arrived)
        self._compute = Measured(
            lambda: fn(*self._placed[0], **self._placed[1]), wait=wait, look=self._looked, at=at
        )
        self._out = Measured(lambda: moved(self._output, "cpu"), wait=wait)

    def run(self) -> tuple[int, int, tuple[int, int] | None, int | None]:
        """Calls it once: ticks, CPU time, ticks of both transfers, tokens."""
        if self._into is None or self._out is None:
            if self._original is not None:
                with with_ordinary_tensors():
                    self._compute.give(*arguments(copied(self._original)))
            ticks, cpu_ns = self._compute.run(1)
            self._look_at_input()
            return ticks, cpu_ns, None, self._tokens
        into, _ = self._into.run(1)
        ticks, cpu_ns = self._compute.run(1)
        out, _ = self._out.run(1)
        self._output = None
        self._placed = (), {}
        return ticks, cpu_ns, (into, out), self._tokens

    def doubts(self) -> list[str]:
        """Says whether its last result stood for work that hasn't been done, and of its input."""
        said = self._compute.doubts()
        if self._original is not None:
            said.append("The model writes into its input: each call was given a fresh copy.")
        return said

    def _look_at_input(self) -> None:
        """After the first call: if that has changed the batch, later calls would have another."""
        if self._is_first:
            self._is_first = False
            with with_ordinary_tensors():
                made = self._make()
            if is_changed(self._x, made):
                self._original = made

    def _arrived(self, x: Any) -> None:
        self._placed = arguments(x)

    def _looked(self, output: Any) -> None:
        if self._count is not None:
            self._tokens = self._count(output)
        if self._out is not None:
            self._output = output


def moved(value: Any, device: Any) -> Any:
    """The same, with its tensors on a device."""
    return each(value, lambda one: one.to(device) if hasattr(one, "to") else one)


def is_on(x: Any, device: Any) -> bool:
    """Whether all tensors are where they're wanted; those of other libraries than PyTorch stay."""
    torch: Any = sys.modules.get("torch")
    if torch is None:
        return True
    wanted = torch.device(device)
    all_of_torch = (one for one in tensors(x) if isinstance(one, torch.Tensor))
    return all(
        one.device.type == wanted.type and wanted.index in (None, one.device.index)
        for one in all_of_torch
    )


def in_a_row(calls: Calls, budget: float) -> InferencePlan:
    """Calls until the latency is known, or the budget is used up."""
    plan = InferencePlan(budget)
    while plan.next():
        plan.told(*calls.run())
    return plan


def at_a_rate(calls: Calls, plan: LoadPlan) -> None:
    """Calls at the scheduled moments, or as soon as those before are done."""
    schedule, limit = plan.schedule, plan.limit
    start = now()
    for arrival in schedule:
        _wait_until(start + arrival)
        begun = now() - start
        if begun > limit:
            break
        calls.run()
        plan.told(begun, now() - start)
    plan.end(now() - start)


def _wait_until(tick: int) -> None:
    """Sleeps, and looks at the clock for the rest: a late start would be taken for a queue."""
    while (left := tick - now()) > 0:
        left_ns = ticks_to_ns(left)
        if left_ns > 2 * _WAKES_NS:
            time.sleep((left_ns - _WAKES_NS) / 1e9)
