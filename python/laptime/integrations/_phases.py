"""Which phase a training program is in: a state machine without torch.

Events come in from :mod:`laptime.integrations._autotorch`: a batch fetch, a forward, a
backward, work of an optimizer. Operations go out to ``laptime._core``: spans opened, renamed
and closed by identity. A *unit* is the span of a step or of an evaluation; phases open inside.
A step opens at a fetch or at a forward with gradients and closes at the end of
``optimizer.step()``; further training work before the next fetch goes on with the same step.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._bounds import (
    ADJACENT_NS,
    CHAIN_NS,
    MOST_BACKWARDS,
    MOST_FETCHES,
    MOST_FORWARDS,
)
from ._loader import EVALUATION, LOADING, STEP, Iteration

DATA = "data"
FORWARD = "forward"
BACKWARD = "backward"
OPTIMIZER = "optimizer"

PLACE = 0xFFFF
"""The bits of a span's token that hold its place on the stack."""


def _nothing() -> None:
    """Stands in for a watcher."""


def _always(_module: Any, _args: Any) -> bool:
    """Stands in for a look at a module's parameters."""
    return True


def _never() -> bool:
    """Stands in for a program that has optimizers."""
    return False


def _training(module: Any) -> bool:
    return getattr(module, "training", True) is not False


class Phases:
    """The phases of one thread."""

    def __init__(
        self,
        core: Any,
        grad_enabled: Callable[[], bool],
        watch: Callable[[], None] = _nothing,
        trains: Callable[[Any, Any], bool] = _always,
        by_hand: Callable[[], bool] = _never,
    ) -> None:
        """`trains` tells whether a module has something to learn, `by_hand` whether the
        program has no optimizer and updates its parameters itself."""
        self._core = core
        self._now = core.now
        self._open = core.open_span
        self._close = core.close_span
        self._emit = core.emit_span
        self._is_open = core.is_open
        self._path_of = core.path_of
        self._path = core.current_path
        self._ticks_to_ns = core.ticks_to_ns
        self._continues: int = core.CONTINUES
        self._grad_enabled = grad_enabled
        self._watch = watch
        self._trains = trains
        self._by_hand = by_hand
        self.steps = 0
        self.compiling = 0
        self.last_kind = ""
        self.epochs_of: Iteration | None = None
        self.blind = self.forward_only = self.external = False
        self.trains_in_eval = False
        self.fetch_start = 0
        self.iteration: Iteration | None = None
        self.unit_path: list[str] = []
        self.op = self.inner = self.nested = 0
        self.op_name = self.inner_name = ""
        self.op_flags = 0
        self.updated_inside = False
        self.trailing = False
        """A zero_grad that follows its step: it reopens the step for itself alone."""
        self.held: list[tuple[Iteration, int, int, int]] = []
        self.updates = self.forwards = self.backwards = 0
        self.stepped = self.saw_grad = self.zeroed = False
        self.forward_path: Any = 0
        """Path of this step's last forward: another one there goes on with it."""
        self.optimizer_path: Any = 0
        self._forget_unit()

    # -- a batch fetch ---------------------------------------------------------------------

    def fetch_begin(self, iteration: Iteration) -> None:
        """The program asks an iterator for its next batch."""
        start = self._now()
        if self.op or self.inner:
            self._repair()
        self.fresh = False
        self.fetch_start = 0
        if self.unit:
            if not self._is_open(self.unit):
                self._lost()
            elif self._stays_open_at_fetch(start):
                if self.decided or iteration.confirmed == self.kind:
                    self._begin(DATA, start)
                else:
                    self.fetch_start = start
                return
        path = self._path()
        if path:
            if path[-1] == DATA:  # a lap of the user's, or `track`, already times this fetch
                self._await(iteration)
                return
            if STEP in path and iteration.loader.guess(self._grad_enabled()) != EVALUATION:
                self._await(iteration)
                self._begin(DATA, start)
                return
        self._open_for_fetch(iteration, start, path)

    def _stays_open_at_fetch(self, start: int) -> bool:
        if not self.decided:
            gap = self._ticks_to_ns(start - self.fetch_end_at)
            if self.chain < MOST_FETCHES and gap <= CHAIN_NS:
                return True
            self._no_model(self.fetch_end_at)
            return False
        if self.kind == EVALUATION:
            self._end_evaluation()
            return False
        if self.stepped or self.failed or self._is_updated_unseen():
            self._close_unit()
            return False
        if self.backwards or not self.forwards:
            return True  # a micro-batch, or a zero_grad before its batch
        self._was_evaluation()
        return False

    def _is_updated_unseen(self) -> bool:
        if self.backwards > MOST_BACKWARDS:
            self.blind = True
        return bool(self.backwards) and (self.blind or self._by_hand())

    def _open_for_fetch(self, iteration: Iteration, start: int, path: list[str]) -> None:
        self._await(iteration)
        loader = iteration.loader
        if iteration.made is not None:
            made_start, made_end = iteration.made
            iteration.made = None
            if self._ticks_to_ns(start - made_end) <= ADJACENT_NS:
                start = made_start
        if loader.fetch_only:
            self._begin(DATA, start)
            return
        kind = iteration.confirmed or loader.guess(self._grad_enabled())
        self._open_unit(kind, path, start, 0)
        self.fresh = True
        if iteration.confirmed:
            self._begin(DATA, start)
        else:
            self.fetch_start = start

    def _await(self, iteration: Iteration) -> None:
        """A batch of this iteration feeds what comes next."""
        self.iteration = iteration
        self._new_number()

    def fetch_end(self, iteration: Iteration) -> None:
        """The batch is there."""
        self.fresh = False
        if self.op:
            self._end()
            self.fetch_end_at = self._now()
        elif self.fetch_start:
            end = self._now()
            self.held.append((iteration, self.fetch_start, end - self.fetch_start, 0))
            self.fetch_start = 0
            self.fetch_end_at = end
        self.chain += 1

    def fetch_failed(self) -> None:
        """The fetch raised something: its time stays in the unit."""
        self._end_fetch()
        self.failed = True

    def exhausted(self, iteration: Iteration) -> None:
        """There was no further batch: the wait for that goes on with the last batch's."""
        iteration.exhausted = True
        if self.fresh:
            self.fresh = False
            goes_on = iteration.confirmed or self.last_kind == LOADING
            self._rename(iteration.confirmed or LOADING)
            self._end_fetch()
            self.piece = self._continues if goes_on else 0
            self._close_unit()
        elif self.unit and not self.decided and self.fetch_start:
            end = self._now()
            self.held.append((iteration, self.fetch_start, end - self.fetch_start, self._continues))
            self.fetch_start = 0
            if self.chain > 1:
                self._no_model(end)
        else:
            self._end_fetch()

    def _end_fetch(self) -> None:
        end = self._now()
        if self.op:
            self._close(self.op, end, self._continues)
            self.op = 0
        elif self.fetch_start and self.unit:
            start = self.fetch_start
            self._emit(DATA, start, end - start, self._continues, self.unit)
        self.fetch_start = 0

    def _no_model(self, end: int) -> None:
        """The batches fetched so far went into no model."""
        for iteration, *_ in self.held:
            iteration.loader.expects = LOADING
        self._rename(LOADING)
        self._emit_held()
        self._close_unit(end)

    # -- a forward -------------------------------------------------------------------------

    def forward_begin(self, grad: bool, module: Any, args: Any = ()) -> None:
        """A module is called, and no other is being called."""
        if self.op:
            if self.op_name == OPTIMIZER:
                self._begin_inner(FORWARD)
                return
            self._repair()
        if self.unit:
            self._unit_at_forward(grad, module, args)
        if not self.unit:
            self._unit_for_forward(grad, module, args)
        self.forwards += 1
        self.saw_grad = self.saw_grad or grad
        self._begin(FORWARD)

    def _unit_at_forward(self, grad: bool, module: Any, args: Any) -> None:
        if not self._is_open(self.unit):
            self._lost()
        elif not self.decided:
            assert self.iteration is not None
            loader = self.iteration.loader
            kind = loader.first_forward(grad, _training(module))
            sure = kind == self.iteration.confirmed == self.kind
            if grad and not sure and not self._trains(module, args):
                return  # a transform or a loss: it tells nothing
            if kind == STEP:
                loader.was_step()
            self._decide(kind)
        elif self.kind == EVALUATION:
            if grad and not self._evaluates_with_grad() and self._trains(module, args):
                self._train_after_evaluation()
        elif self.stepped:
            if self._is_over(grad):
                self._close_unit()
        elif self.iteration is None and not self.backwards:
            if self.forwards >= MOST_FORWARDS and not self.zeroed:
                self.forward_only = True
                self._was_evaluation()
        elif self.iteration is None and self._is_updated_unseen():
            self._close_unit()
            self._new_number()

    def _is_over(self, grad: bool) -> bool:
        """Whether a step that a lap of the user's kept open has ended for this work."""
        return not grad or self.iteration is None or not self.iteration.in_play()

    def _unit_for_forward(self, grad: bool, module: Any, args: Any) -> None:
        if grad and not self.forward_only and (self.trains_in_eval or _training(module)):
            if self._trains(module, args):
                self._open_step()
                return
        path = self._path()
        self.external = STEP in path
        if not self.external:
            self._open_unit(EVALUATION, path, None, 0)
            self.decided = self.standalone = True

    def _evaluates_with_grad(self) -> bool:
        if self.iteration is None:
            return True
        loader = self.iteration.loader
        return self.saw_grad or (loader.expects == EVALUATION and loader.with_grad)

    def forward_end(self) -> None:
        """The outermost module call is over."""
        if self.inner:
            self._end_inner()
            return
        self._end()
        if self.standalone:
            self._close_unit()

    # -- a backward ------------------------------------------------------------------------

    def backward_begin(self) -> None:
        """Gradients are being computed for an update."""
        if self.op:
            if self.op_name == OPTIMIZER:
                self._begin_inner(BACKWARD)
                return
            self._repair()
        if self.forward_only or (not self.unit and self.last_kind == EVALUATION):
            self.forward_only = False
            self.trains_in_eval = True
        self._train()
        self.backwards += 1
        self._begin(BACKWARD)

    def gradient_begin(self) -> None:
        """Gradients are being computed for some other purpose."""
        if self.op and self.op_name == OPTIMIZER:
            self._begin_inner(BACKWARD)
        elif not self.op and self.unit and self.decided and self._is_open(self.unit):
            self._begin(BACKWARD)

    def backward_end(self) -> None:
        """The gradients are there."""
        if self.inner:
            self._end_inner()
            return
        self._end()
        if self.updated_inside:  # an optimizer per parameter, stepped by hooks
            self.updated_inside = False
            self._stepped()

    # -- an optimizer ----------------------------------------------------------------------

    def optimizer_begin(self, stepping: bool) -> None:
        """An optimizer steps, or does something before or after its step."""
        if self.op:
            if self.op_name == OPTIMIZER:
                self.nested += 1
                return
            self._repair()
        if self.unit and not self._is_open(self.unit):
            self._lost()
        self.trailing = not stepping and not self.unit and self.stepped
        self._train()
        if not stepping:
            goes_on = self.updates > 0
            self.zeroed = self.zeroed or not goes_on
        else:
            goes_on = self.zeroed
            self.zeroed = False
        self.updates += 1
        self._begin(OPTIMIZER)
        path = self._path_of(self.op)
        if goes_on and path == self.optimizer_path:
            self.op_flags = self._continues
        self.optimizer_path = path

    def optimizer_end(self, stepping: bool) -> None:
        """What :meth:`optimizer_begin` began is over."""
        if self.nested:
            self.nested -= 1
            return
        if self.inner:
            self._end_inner()
        place = self.op & PLACE
        self._end()
        if stepping:
            self._stepped(place)
        elif self.trailing:
            self._close_unit()
        self.trailing = False

    def _stepped(self, place: int = 0) -> None:
        self.stepped = True
        self.blind = False
        self.steps += 1
        # A lap of the user's that is open inside the step stays inside: the step waits for it.
        if not place or place == (self.unit & PLACE) + 1:
            self._close_unit()
        if not self.steps & (self.steps - 1):
            self._watch()

    # -- compilation -----------------------------------------------------------------------

    def compile_begin(self) -> None:
        """A graph is being compiled, wherever that happens."""
        if not self.compiling:
            self.compiling = self._open("compile", None, automatic=True)

    def compile_end(self) -> None:
        """It is compiled."""
        if self.compiling:
            self._close(self.compiling)
            self.compiling = 0

    # -- units -----------------------------------------------------------------------------

    def _train(self) -> None:
        """There is training work: a step must be open."""
        if self.unit and not self._is_open(self.unit):
            self._lost()
        if not self.unit:
            self._open_step()
        elif not self.decided:
            self._trained()
            self._decide(STEP)
        elif self.kind == EVALUATION:
            self._train_after_evaluation()
        elif self.stepped and self._is_over(True):
            self._close_unit()
            self._open_step()

    def _train_after_evaluation(self) -> None:
        loader = self.iteration.loader if self.iteration is not None else None
        if loader is None or (loader.expects == EVALUATION and not self.saw_grad):
            self._end_evaluation()
            self._open_step()
            return
        loader.was_step()
        loader.teacher = not self.saw_grad
        assert self.iteration is not None
        self._rename(STEP)
        self.iteration.confirmed = STEP
        self._epoch(self.iteration)

    def _open_step(self) -> None:
        path = self._path()
        self.external = STEP in path
        iteration = self.iteration
        if iteration is not None and not iteration.in_play():
            iteration = self.iteration = None
        if self.stepped and iteration is None and not self.trailing:
            self._new_number()
        self._trained()
        if self.external:
            return
        goes_on = self.stepped and path == self.unit_path
        self._open_unit(STEP, path, None, self._continues if goes_on else 0)
        self.decided = True

    def _trained(self) -> None:
        if self.iteration is not None:
            self.iteration.loader.was_step()
            self.iteration.confirmed = self.iteration.confirmed or STEP
            self._epoch(self.iteration)

    def _open_unit(self, kind: str, path: list[str], start: int | None, piece: int) -> None:
        self.unit = self._open(kind, start, automatic=True)
        self.unit_path = path
        self.kind = kind
        self.decided = self.standalone = False
        self.failed = False
        self.piece = piece
        self.chain = 0

    def _decide(self, kind: str) -> None:
        """A forward or training work has told what the fetched batches are for."""
        self.decided = True
        if kind != self.kind:
            self._rename(kind)
        iteration = self.iteration
        assert iteration is not None
        for held, *_ in self.held:
            held.confirmed = kind
        iteration.confirmed = kind
        self._emit_held()
        if kind == STEP:
            self._epoch(iteration)

    def _emit_held(self) -> None:
        for _, start, duration, flags in self.held:
            self._emit(DATA, start, duration, flags, self.unit)
        self.held.clear()

    def _epoch(self, iteration: Iteration) -> None:
        if iteration.marked:
            return
        iteration.marked = True
        leader = self.epochs_of
        # Of several loaders that are read side by side one tells the epochs.
        if leader is None or leader.loader is iteration.loader or not leader.in_play():
            self.epochs_of = iteration
            if self.unit:
                self._core.mark_start(self.unit, "epoch")
            else:
                self._core.mark("epoch")

    def _was_evaluation(self) -> None:
        """An open step with forwards and no backward was evaluation with gradients on."""
        self._rename(EVALUATION)
        self._end_evaluation()

    def _end_evaluation(self) -> None:
        if self.iteration is not None:
            self.iteration.loader.was_evaluation(self.saw_grad)
            self.iteration.confirmed = EVALUATION
        self._close_unit()

    def _rename(self, kind: str) -> None:
        if kind != self.kind:
            self._core.rename_span(self.unit, kind)
            self.kind = kind

    def _close_unit(self, end: int | None = None) -> None:
        if self.unit:
            self._close(self.unit, end, self.piece)
            self.last_kind = self.kind
        self._forget_unit()

    def _lost(self) -> None:
        """A lap of the user's that the unit was opened in has ended, and the unit with it."""
        if not self.decided and self.iteration is not None:
            self.iteration.loader.fetch_only = True
            self.iteration.confirmed = ""
        self._forget_unit()
        self.stepped = False

    def _forget_unit(self) -> None:
        self.unit = 0
        self.kind = ""
        self.decided = self.standalone = self.fresh = self.failed = False
        self.piece = 0
        self.chain = 0
        self.fetch_end_at = 0
        self.held = []
        self.previous = ""

    def _new_number(self) -> None:
        self.stepped = self.saw_grad = self.zeroed = False
        self.backwards = self.forwards = self.updates = 0
        self.forward_path = self.optimizer_path = 0

    # -- phases ----------------------------------------------------------------------------

    def _begin(self, name: str, start: int | None = None) -> None:
        self.op = self._open(name, start, automatic=True)
        self.op_name = name
        self.op_flags = 0
        if name == FORWARD:
            path = self._path_of(self.op)
            # A loss module called after the model goes on with the same forward.
            if self.previous == FORWARD and path == self.forward_path:
                self.op_flags = self._continues
            self.forward_path = path

    def _end(self) -> None:
        self.compiling = 0  # it closed together with its phase, if it was left open
        if self.op:
            self._close(self.op, None, self.op_flags)
            self.previous = self.op_name
            self.op = 0

    def _begin_inner(self, name: str) -> None:
        if self.inner:
            self._end_inner()
        self.inner = self._open(name, None, automatic=True)
        self.inner_name = name

    def _end_inner(self) -> None:
        self._close(self.inner)
        self.inner = 0

    def _repair(self) -> None:
        """Something was interrupted before its end was told."""
        if self.inner:
            self._end_inner()
        self.nested = 0
        self._end()

    def interrupted(self) -> None:
        """A phase raised: the unit is what it is named, whatever is still to come."""
        self.failed = True

    def close(self) -> None:
        """Records nothing from now on, on whichever thread it is used."""
        self._open = lambda *_, **__: 0
        self._emit = lambda *_, **__: None

    def finish(self) -> None:
        """The recording ends: nothing stays open."""
        self._repair()
        if not self.unit:
            return
        if not self._is_open(self.unit):
            self._forget_unit()
        elif not self.decided:
            self._no_model(self.fetch_end_at or self._now())
        elif self.kind == STEP and self.forwards and not self.backwards and not self.updates:
            self._was_evaluation()
        else:
            self._close_unit()
