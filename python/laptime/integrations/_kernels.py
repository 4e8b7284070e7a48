"""Profiles some steps with torch's own profiler, and hands what it saw to the recording.

The profiler starts before the first of these steps opens and stops after the last one has closed:
where Laptime finds the steps itself, at the next batch or forward, since what follows an
optimizer's step may still belong to it. Without an optimizer it is that beginning which ends a
step, and it is told too late: the one before is waited for, and ended here. Marks of ours tie its
clock to that of laps. Where the program has a profiler of its own, that one goes first: ours does
not start, or stops before it.
Starting it and reading what it saw takes a while, which is no time of the program's: a lap of its
own, `profiler`, has it.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

from .._core import StepListener, Watched, lap, now, raised_by_handler, write_operators
from . import _profiler
from ._profiler_events import MARK, Seen, pairs_of, seen_of

#: Marks at the start, and as many at the end: the tightest of each counts.
_MARKS = 8
_OTHERS = "the program's own profiler"
#: The lap of what profiling itself takes, between steps.
_LAP = "profiler"


class Kernels:
    """Some steps of a process, and the profiler that is on for them."""

    def __init__(self, torch: Any, core: Any, phases: Any, steps: range) -> None:
        self._torch = torch
        self._core = core
        self._phases = phases
        self._steps = steps
        self._is_on = False
        """Whether it waits for the steps, or profiles them."""
        self._is_child = False
        self._count_anew()
        self._has_started = False
        self._profiler: Any = None
        self._device = ""
        """The kind of device whose kernels it is to see."""
        self._left: Any = None
        """A profiler whose own thread has yet to switch it off, as no other can."""
        self._marks: list[tuple[int, int]] = []
        self._is_ours = False
        """Whether it is Laptime that starts or stops a profiler right now."""
        self._is_done = False
        self._theirs: set[int] = set()
        """Profilers of the program's that are on, by their ids."""
        _all.add(self)
        self._next: Callable[[], None] | None = None
        """What is done when the next step begins."""
        self._is_open = False
        """Whether it is that beginning which ends the step before."""
        self._begins = [
            Watched("before", phases, told=lambda _: self._may_begin(at_fetch=True)),
            Watched("before", phases, told=lambda _: self._may_begin(at_fetch=False)),
        ]
        self._others = [
            Watched("before", phases, told=self._theirs_starts),
            Watched("before", phases, told=self._theirs_stops),
        ]

    # -- in and out ------------------------------------------------------------------------

    def apply(self) -> None:
        """Waits for the steps."""
        self._is_on = True
        profiler = self._torch.autograd.profiler
        starts, stops = self._others
        for name in ("profile", "emit_itt", "emit_nvtx"):
            owner = getattr(profiler, name, None)
            for watched, method in (
                (starts, "__enter__"),
                (starts, "_prepare_trace"),
                (stops, "__exit__"),
            ):
                function = vars(owner).get(method) if owner is not None else None
                if function is not None:
                    watched.put(function)
        self._wait()

    def _count_anew(self) -> None:
        """Counts the steps of this process's main thread, from 0."""
        self._process = os.getpid()
        self._thread = threading.get_ident()
        self._listener = StepListener("step", 0, None, self._step_ended)
        self._ended = 0

    def _wait(self) -> None:
        self._listener.start()
        if self._steps.start == 0:
            self._at_next_step(self._start)

    def around(self, inner: tuple[Any, Any] | None) -> tuple[Any, Any]:
        """What begins and ends around the calls of a step, with what `inner` does there."""

        def begin(args: Any, kwargs: Any, compiling: bool) -> Any:
            if self._profiler is not None and not compiling:
                self._phases.set_aside()
            return None if inner is None else inner[0](args, kwargs, compiling)

        def end(begun: Any, raised: BaseException | None) -> Any:
            return None if inner is None else inner[1](begun, raised)

        return begin, end

    def finish(self) -> None:
        """Nothing is profiled any more; says which steps never came."""
        self._is_on = False
        self._drop_left()
        self._safely(self._stop)
        self._leave()
        first, end, ran = self._steps.start, self._steps.stop, self._ended
        if os.getpid() != self._process or (self._is_child and ran == 0):
            return
        if not self._is_done and ran < end:
            steps = "1 step" if ran == 1 else f"{ran} steps"
            if ran <= first:
                told = f"steps {first}:{end} were not reached: {steps} ran"
            else:
                told = f"of steps {first}:{end} only {first}:{ran} were reached: {steps} ran"
            self._core.note("kernels.unavailable", told)
        self._is_done = True

    def forked(self) -> None:
        """In a child: the steps so far are the parent's, and so is a profiler of Laptime's.

        Without one, Kineto is as new there as in any other process, and the child's steps are
        profiled.
        """
        self._is_done = True
        if self._has_started:
            is_on = self._profiler is not None or self._left is not None
            _profiler.forked(self._torch, is_on and threading.get_ident() == self._thread)
        self._profiler = self._left = None
        self._core.set_profiling(False)
        if self._is_on and not self._has_started:
            self._safely(self._begin_again)

    def _begin_again(self) -> None:
        self._is_child, self._is_done, self._is_open = True, False, False
        self._next = None
        self._theirs.clear()
        for watched in self._begins:
            watched.take()
        self._listener.stop()
        self._count_anew()
        self._wait()

    def _leave(self) -> None:
        """Watches nothing any more, unless there is one to switch off yet."""
        if self._left is not None:
            return
        self._listener.stop()
        self._next = None
        for watched in (*self._begins, *self._others):
            watched.take()

    # -- steps -----------------------------------------------------------------------------

    def _step_ended(self, ended: int, is_automatic: bool) -> None:
        self._ended = ended
        if threading.get_ident() != self._thread:
            return
        self._drop_left()
        if self._is_done:
            return
        # The one that is under way is not told in time.
        self._is_open = is_automatic and self._phases.is_in_unit()
        ended += self._is_open
        if self._next is not None:
            return
        if self._profiler is None and ended in self._steps:
            then = self._start
        elif self._profiler is not None and ended >= self._steps.stop:
            then = self._end
        else:
            return
        if is_automatic:
            self._at_next_step(then)
        else:
            self._safely(then)

    def _at_next_step(self, then: Callable[[], None]) -> None:
        """Does something just before the next batch is fetched, or the next forward begins."""
        torch = self._torch
        self._next = then
        fetch, forward = self._begins
        fetch.put(torch.utils.data.dataloader._BaseDataLoaderIter.__next__)
        forward.put(torch.nn.Module.__call__)

    def _may_begin(self, at_fetch: bool) -> None:
        then = self._next
        if then is None or threading.get_ident() != self._thread:
            return
        if self._is_open and not self._phases.end_by_hand(at_fetch):
            return
        self._next = None
        for watched in self._begins:
            watched.take()
        self._safely(then)

    # -- the profiler ----------------------------------------------------------------------

    def _start(self) -> None:
        if self._torch.utils.data.get_worker_info() is not None:
            self._is_done = True  # a worker of a loader's never trains
            return
        if self._theirs or self._torch._C._autograd._profiler_enabled():
            self._refuse(f"{_OTHERS} was on when step {self._steps.start} began")
            return
        device = _profiler.device_in_use(self._torch)
        if device and not _profiler.sees(self._torch, device):
            self._core.note(
                "kernels.no-device",
                f"this PyTorch's profiler sees no kernels of {device} devices: only operators were "
                "profiled",
            )
            device = ""
        with lap(_LAP):
            made = _profiler.made(self._torch, device)
            self._has_started = True
            self._switch(made.__enter__)
            self._profiler, self._device = made, device
            self._core.set_profiling(True)
            self._marks = [self._mark() for _ in range(_MARKS)]

    def _mark(self) -> tuple[int, int]:
        """Opens and closes a mark of the profiler's; our clock before and after."""
        record = self._torch.autograd.profiler.record_function(MARK)
        before = now()
        with record:
            pass
        return before, now()

    def _end(self) -> None:
        self._drop_left()
        self._stop()
        self._is_done = True
        self._leave()

    def _stop(self) -> None:
        made, self._profiler = self._profiler, None
        if made is None:
            return
        with lap(_LAP):
            self._core.set_profiling(False)
            marks = self._marks + [self._mark() for _ in range(_MARKS)]
            try:
                self._switch(lambda: made.__exit__(None, None, None))
                seen, pairs = self._read(made, marks)
            finally:
                made.kineto_results = None
            self._write(seen, pairs)

    def _switch(self, then: Callable[[], object]) -> None:
        self._is_ours = True
        try:
            _profiler.switch(self._torch, then)
        finally:
            self._is_ours = False

    def _read(self, made: Any, marks: list[tuple[int, int]]) -> tuple[list[Seen], list[Any]]:
        """What it saw, as values; its own result is gone with that."""
        on_host = self._torch._C._autograd.DeviceType.CPU
        events = made.kineto_results.events()
        try:
            return seen_of(events, on_host), pairs_of(events, on_host, marks)
        except BaseException as error:
            _profiler.forget(error)
            raise
        finally:
            events.clear()

    def _write(self, seen: list[Seen], pairs: list[Any]) -> None:
        told = write_operators(seen, pairs)
        if told is None:
            self._refuse("the profiler's clock could not be compared with Laptime's")
            return
        if self._device and not any(on_device for *_, on_device in seen):
            self._core.note(
                "kernels.none",
                f"PyTorch's profiler saw no kernel in steps {self._text()}: either nothing ran on "
                "the device, or another tool, such as nsys or ncu, had the driver's profiler",
            )
        within_ns, drift_ns, is_doubtful = told
        self._core.note("kernels.within-ns", str(within_ns))
        if is_doubtful:
            self._core.note(
                "kernels.doubtful",
                f"the profiler's clock and Laptime's drifted {drift_ns / 1e6:.1f} ms apart while "
                "steps were profiled: operators may be shown in a neighbouring lap. Profile them "
                "again",
            )

    # -- others ----------------------------------------------------------------------------

    def _theirs_starts(self, profiler: Any) -> None:
        if self._is_ours or not getattr(profiler, "enabled", True):
            return
        is_here = threading.get_ident() == self._thread
        if is_here:
            # A thread has one profiler, whoever's it is.
            self._drop_left(whatever_is_on=True)
        self._theirs.add(id(profiler))
        if self._profiler is not None:
            if is_here:
                self._safely(self._stop)
            else:
                self._core.set_profiling(False)
                self._left, self._profiler = self._profiler, None
            self._refuse(
                f"{_OTHERS} started during steps {self._text()}, and Laptime's stopped before it"
            )

    def _theirs_stops(self, profiler: Any) -> None:
        if not self._is_ours:
            self._theirs.discard(id(profiler))

    def _drop_left(self, *, whatever_is_on: bool = False) -> None:
        """Switches off what another thread's profiler took over from, once that has stopped."""
        left = self._left
        if left is None or threading.get_ident() != self._thread:
            return
        if self._theirs and not whatever_is_on:
            return
        self._left = None
        self._safely(lambda: self._switch(lambda: left.__exit__(None, None, None)))
        if self._is_done:
            self._leave()

    def _text(self) -> str:
        return f"{self._steps.start}:{self._steps.stop}"

    def _refuse(self, why: str) -> None:
        self._is_done = True
        self._core.note(
            "kernels.refused", f"steps {self._text()} were not profiled to their end: {why}"
        )

    def _safely(self, then: Callable[[], None]) -> None:
        """Does something of Laptime's own, of which the program is to see nothing."""
        try:
            then()
        except BaseException as error:
            if raised_by_handler(error):
                raise
            from ._patches import say

            self._is_done = True
            self._profiler = None
            self._core.set_profiling(False)
            say("steps are not profiled", error)
            _profiler.forget(error)
            self._core.note("kernels.refused", f"profiling failed: {type(error).__name__}: {error}")


_all: weakref.WeakSet[Kernels] = weakref.WeakSet()


def _forked() -> None:
    for kernels in list(_all):
        kernels.forked()


os.register_at_fork(after_in_child=_forked)
