"""Handing the state of a machine to the native fast lane and back.

The lane (``laptime._core.Watched``) plays the steady state of a training loop by itself. The
wrappers in :mod:`laptime.integrations._patches` take the state back before every event that
reaches them, and give it away after the event when a step is open or has just closed.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._loader import STEP
from ._phases import BACKWARD, DATA, FORWARD, OPTIMIZER, Phases
from ._thread import Here, Machines

FETCH, CALL, GRADIENTS, UPDATE, WORK = 1, 2, 3, 4, 5
"""What a wrapper watches, by the lane's numbers."""

NAMES = {0: "", FETCH: DATA, CALL: FORWARD, GRADIENTS: BACKWARD, UPDATE: OPTIMIZER, WORK: OPTIMIZER}
NUMBERS = {"": 0, DATA: FETCH, FORWARD: CALL, BACKWARD: GRADIENTS, OPTIMIZER: WORK}


class LaneHere(Here):
    """What a thread knows of itself, its busyness known to the lane too."""

    core: Any = None

    @property
    def busy(self) -> bool:
        """Inside a phase whose inside is not looked at: pass everything through."""
        return bool(LaneHere.core.lane_busy())

    @busy.setter
    def busy(self, busy: bool) -> None:
        LaneHere.core.lane_set_busy(busy)


class LaneMachines(Machines):
    """Machines that share their state with the lanes of their threads."""

    def __init__(
        self, core: Any, make: Callable[[], Phases], is_worker: Callable[[], bool]
    ) -> None:
        super().__init__(make, is_worker)
        self._core = core
        LaneHere.core = core
        self.here = LaneHere()

    def take(self) -> Phases | None:
        """The machine of this thread, with what the lane did meanwhile."""
        machine = super().take()
        if machine is not None:
            state = self._core.lane_take()
            if state is not None:
                _go_on(machine, state)
        return machine

    def give(self, machine: Phases) -> None:
        """Lets the lane go on, if it knows how."""
        if machine.op or machine.inner or machine.external or machine.failed:
            return
        iteration = machine.iteration
        if machine.unit:
            if not machine.decided or machine.kind != STEP or machine.stepped:
                return
        elif (
            not machine.stepped
            or machine.last_kind != STEP
            or self._core.current_path() != machine.unit_path
        ):
            return
        alive = None
        if iteration is not None:
            if iteration.exhausted or iteration.alive is None:
                return
            alive = iteration.alive
        self._core.lane_give(
            (machine.unit, machine.piece),
            (NUMBERS[machine.previous], machine.forward_path, machine.optimizer_path),
            (machine.forwards, machine.backwards, machine.updates, machine.steps),
            (machine.saw_grad, machine.stepped, machine.zeroed),
            iteration,
            alive,
        )

    def is_working(self, machine: Phases) -> bool:
        """Whether any thread is inside a phase: the lanes know."""
        return bool(self._core.lanes_busy())


def _go_on(machine: Phases, state: Any) -> None:
    unit, op, previous, counts, seen = state
    machine.unit, machine.piece, machine.decided, machine.failed, machine.fetch_end_at = unit
    machine.op, number, machine.op_flags = op
    machine.op_name = NAMES[number]
    machine.previous = NAMES[previous[0]]
    machine.forward_path, machine.optimizer_path = previous[1:]
    machine.forwards, machine.backwards, machine.updates, machine.steps = counts
    machine.saw_grad, machine.stepped, machine.zeroed = seen
    machine.standalone = machine.external = machine.fresh = False
    machine.fetch_start = 0
    machine.held = []
    machine.last_kind = STEP
    machine.kind = STEP if machine.unit else ""
    machine.chain = 0 if machine.decided else 1
