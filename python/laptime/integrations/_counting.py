"""Counts operations as they run: each stretch of the program once, and then only that it ran.

A *stretch* is a call whose operations are the same each time: the forward of a module on inputs
of one shape, the backward of such forwards, an optimizer's step. The first time, every operator
in it is seen, on the program's own tensors, and filed under the lap that is open; the step or
evaluation that this happens in goes on under a name of its own, for it takes longer. From then on
the stretch is recorded as one number. Of stretches that differ in their sizes alone some are
counted, and tell what the others do, if a formula holds for them: `_core.Stretches` knows.

What counts lies over the call alone. Between calls the program is by itself: it exports its
model, traces it, or runs it under modes of its own, and finds nothing of ours there. It steps aside
for compiled code too, which runs as it would: what a call compiles or has compiled isn't counted.
"""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

from .._core import Watched, raised_by_handler
from .._post_import import wait_no_more, when_imported
from ._stretches import Keys, Sized
from ._variants import Variant, Variants

#: Forwards that a backward is told by, at most.
_MOST_FORWARDS = 63
#: Where `torch.compile` enters what it compiles; imported by torch at the first need of it.
_COMPILED = "torch._dynamo.eval_frame"
#: Stretches that are counted, at most: a program whose every call is another one would count all.
MOST_STRETCHES = 4_096


class Stretch:
    """A stretch of the program that is being counted or was, or that is known without."""

    def __init__(self, number: int, sized: Sized | None = None) -> None:
        self.number = number
        self.sized = sized
        """Where others differ from it in their sizes alone."""
        self.kind: tuple[int, int, tuple[int, ...]] = (0, 0, ())
        """The numbers of its caller and its kind, and its sizes."""
        self.variants: Variants | None = None
        """Where it is a forward that was counted: what else the same call did."""


class Begun:
    """A stretch under way: it is being counted, or keeps the one around it from counting it."""

    def __init__(self, key: Any, stretch: Stretch, counter: Any, outer: Begun | None) -> None:
        self.key = key
        self.stretch = stretch
        self.counter = counter
        self.outer = outer
        self.compiled = False
        """Whether compiled code was entered."""
        self.variants: Variants | None = None
        """What it is compared with when it is over: the modules that it called tell what it did."""
        self.runs = False
        """Whether the recording is to be told then that it ran."""


class ThreadStretches(threading.local):
    """What a thread is in the middle of."""

    begun: Begun | None = None
    """The innermost stretch that is being counted."""
    since_backward: tuple[Stretch, ...] = ()
    """The forwards that the next backward is of."""
    compiled = False
    """Whether one of them, or what stood between, was compiled: so is that backward."""


class Counting:
    """What is known of the stretches of a process, and how to count another."""

    def __init__(self, torch: Any, core: Any, phases: Any) -> None:
        # Not in the midst of a step, which an import would hold up, and a signal cut short.
        from ..operations.torch import live_counting

        self._live = live_counting
        self._torch = torch
        self._core = core
        self._phases = phases
        self._here = ThreadStretches()
        self._known: dict[Any, Stretch] = {}
        self._keys = Keys(torch)
        self._stretches = core.Stretches()
        self._numbers: dict[Any, int] = {}
        self._said: set[str] = set()
        self._uncounted: dict[str, str] = {}
        self._counters: set[Any] = set()
        self._otherwise: dict[str, int] = {}
        self._broken = False
        self._last = 0
        self._enters = Watched("result", phases, told=self._entered)
        _all.add(self)
        when_imported(_COMPILED, self._compiles)

    def around(self, event: str, name: str) -> tuple[Any, Any] | None:
        """What begins and ends around the calls of a function."""
        key = {
            "fetch": self._fetch,
            "forward": self._forward,
            "backward": self._backward,
            "gradient": self._backward,
            "step": self._step,
            "work": self._work,
        }.get(event)
        if key is None:
            return None

        def begin(args: Any, kwargs: Any, compiling: bool) -> Begun | None:
            outer = self._here.begun
            try:
                if compiling:
                    self._runs_compiled()
                return key(name, args, kwargs, compiling)
            except BaseException as error:
                self._give_up(outer)
                if raised_by_handler(error):
                    raise
                self._fails(error)
                return None

        return begin, self._end

    # -- where stretches begin -------------------------------------------------------------

    def _fetch(self, _name: str, _args: Any, _kwargs: Any, _compiling: bool) -> None:
        self._forget_forwards()

    def _forget_forwards(self) -> None:
        self._here.since_backward = ()
        self._here.compiled = False

    def _forward(self, _name: str, args: Any, kwargs: Any, compiling: bool) -> Begun | None:
        if self._is_elsewhere():
            return None
        key = self._keys.forward(args, kwargs)
        stretch, begun = self._begin(
            ("forward", key),
            compiling,
            lambda: Sized.of_forward(key, type(args[0]).__name__),
        )
        if begun is None or begun.variants is None:
            self._comes_before_backward(stretch)
        return begun

    def _comes_before_backward(self, stretch: Stretch) -> None:
        here = self._here
        if self._torch.is_grad_enabled():
            here.since_backward = (*here.since_backward[-_MOST_FORWARDS:], stretch)

    def _backward(self, _name: str, _args: Any, _kwargs: Any, compiling: bool) -> Begun | None:
        here = self._here
        forwards, compiled = here.since_backward, here.compiled or compiling
        here.since_backward = ()
        if self._is_elsewhere():
            return None
        key = ("backward", tuple([forward.number for forward in forwards]))
        sized = [forward.sized for forward in forwards if forward.sized is not None]
        if not forwards or len(sized) < len(forwards):
            return self._begin(key, compiled)[1]
        return self._begin(key, compiled, lambda: Sized.of_backward(sized))[1]

    def _step(self, name: str, args: Any, _kwargs: Any, compiling: bool) -> Begun | None:
        self._forget_forwards()
        return self._owned("step", name, args, compiling)

    def _work(self, name: str, args: Any, _kwargs: Any, compiling: bool) -> Begun | None:
        return self._owned("work", name, args, compiling)

    def _owned(self, event: str, name: str, args: Any, compiling: bool) -> Begun | None:
        if self._is_elsewhere():
            return None
        key = (event, name, self._keys.owner(args, stepping=event == "step"))
        return self._begin(key, compiling)[1]

    def _is_elsewhere(self) -> bool:
        """Whether nothing is computed here: the call is traced, or runs on other than tensors."""
        return bool(self._live.is_elsewhere())

    def _begin(
        self,
        key: Any,
        compiled: bool,
        sized: Callable[[], Sized] | None = None,
    ) -> tuple[Stretch, Begun | None]:
        """A call begins. What is compiled is never counted, whether the same call was or not."""
        plain, is_aside = self._core.plain_path()
        whole = (plain, key, compiled)
        stretch = self._known.get(whole)
        if stretch is None and len(self._known) >= MOST_STRETCHES:
            self._say_most()
            whole = (plain, "left out", compiled)
            stretch = self._known.get(whole)
        if stretch is None:
            stretch = self._new()
            if self._broken or compiled or key != whole[1]:
                self._leave_out(stretch)
            elif sized is None or not self._is_told(stretch, plain, key[0], sized()):
                return stretch, self._count(whole, stretch)
            self._known[whole] = stretch
        if stretch.variants is not None and not compiled:
            return stretch, self._compare(whole, stretch, runs=not is_aside)
        if not is_aside:
            self._core.ran(stretch.number)
        return stretch, self._pause(whole, stretch)

    def _new(self) -> Stretch:
        self._last += 1
        return Stretch(self._last)

    def _is_told(self, stretch: Stretch, plain: int, event: str, sized: Sized) -> bool:
        """Whether what a stretch does is known from others of its kind, or is not to be known."""
        number = self._numbers
        caller = plain, event, sized.caller
        kind = caller, sized.kind
        stretch.sized = sized
        stretch.kind = (
            number.setdefault(caller, len(number)),
            number.setdefault(kind, len(number)),
            sized.sizes,
        )
        verdict = self._stretches.meet(stretch.number, *stretch.kind)
        if verdict == "left out":
            self._say_left_out(event, sized.name)
        return bool(verdict != "count")

    # -- counting --------------------------------------------------------------------------

    def _count(self, key: Any, stretch: Stretch) -> Begun:
        """Counts the call that begins now. One that it is inside of goes on after it."""
        self._phases.set_aside()
        here = self._here
        counter = self._live.LiveCounting(self._core, self._core.path_number())
        self._counters.add(counter)
        begun = Begun(key, stretch, counter, here.begun)
        here.begun = begun
        if begun.outer is not None and begun.outer.counter is not None:
            begun.outer.counter.is_live = False
        counter.begin()
        self._known[key] = stretch
        return begun

    def _pause(self, key: Any, stretch: Stretch) -> Begun | None:
        """A stretch that is known, inside one that is being counted, is no part of that."""
        outer = self._here.begun
        if outer is None or outer.counter is None:
            return None
        return self._stand_in(key, stretch)

    def _stand_in(self, key: Any, stretch: Stretch) -> Begun:
        outer = self._here.begun
        begun = Begun(key, stretch, None, outer)
        if outer is not None and outer.counter is not None:
            outer.counter.is_live = False
        self._here.begun = begun
        return begun

    def _leave(self, begun: Begun) -> None:
        if begun.counter is not None:
            begun.counter.leave()
            self._counters.discard(begun.counter)
        self._here.begun = outer = begun.outer
        if outer is not None and outer.counter is not None:
            outer.counter.is_live = not outer.compiled

    def _give_up(self, outer: Begun | None) -> None:
        """Leaves what was begun inside `outer`; it will be counted another time."""
        while (begun := self._here.begun) is not outer and begun is not None:
            self._leave(begun)
            if begun.counter is not None:
                self._known.pop(begun.key, None)

    def _end(self, begun: Begun, raised: BaseException | None) -> None:
        """The call is over; what was counted of it is written, unless it raised: then it will
        be counted when it runs to its end."""
        is_written = False
        try:
            self._leave(begun)
            if raised is not None:
                self._live.hide_frames(raised)
            if begun.variants is not None:
                found = self._compared(begun, begun.variants, raised)
                if found is None or begun.counter is None:
                    return
                self._write(found, begun.counter)
                return
            if begun.counter is None:
                return
            if raised is not None or begun.key not in self._known:
                self._known.pop(begun.key, None)
                return
            if begun.compiled:
                self._leave_out(begun.stretch)
                return
            self._write(begun.stretch, begun.counter)
            is_written = True
            if begun.key[1][0] == "forward":
                begun.stretch.variants = Variants(self._keys.calls(), begun.stretch)
        except BaseException as error:
            if self._here.begun is begun:
                self._give_up(begun.outer)
            if begun.counter is not None and not is_written:
                self._known.pop(begun.key, None)
            if raised_by_handler(error):
                raise
            self._fails(error)

    def _write(self, stretch: Stretch, counter: Any) -> None:
        """What was counted of a stretch."""
        by_path = [(path, counts, counter.device) for path, counts in counter.finish()]
        if counter.follows_data:
            self._say_follows_data(stretch, counter.follows_data)
        if stretch.sized is None:
            for path, counts, device in by_path:
                self._core.write_operations(stretch.number, path, counts, device)
        elif self._stretches.counted(stretch.number, *stretch.kind, by_path):
            self._say(
                "operations.contradicted",
                f"a formula gave operations of {stretch.sized.name} until a count contradicted it: "
                "what it gave is taken back, and those operations are not counted",
            )
        for _, counts, _ in by_path:
            for one in counts.uncounted:
                self._uncounted.setdefault(one.name, one.reason)

    def _leave_out(self, stretch: Stretch) -> None:
        """A stretch that nobody counts, and the rows around it say so."""
        from .._core import Feed

        feed = Feed()
        feed.add(feed.operator("laptime::stretch", []), [], [])
        path = self._core.path_number()
        self._core.write_operations(stretch.number, path, feed.finish(), "")

    # -- forwards that call other modules than when they were counted ------------------------

    def _compare(self, whole: Any, stretch: Stretch, *, runs: bool) -> Begun:
        """A forward begins that was counted, and may do something else this time."""
        variants = stretch.variants
        if variants is not None and variants.are_wanted() and not self._broken:
            begun = self._count((*whole, "again"), stretch)
        else:
            begun = self._stand_in(whole, stretch)
            begun.runs = runs
        begun.variants = variants
        return begun

    def _compared(
        self, begun: Begun, variants: Variants, raised: BaseException | None
    ) -> Stretch | None:
        """It is over: the stretch that it was, if what it does is to be written."""
        again, begun.variants = begun.counter is not None, None
        found: Variant | None = None
        if again:
            self._known.pop(begun.key, None)
        if raised is None and not begun.compiled:
            calls = self._keys.calls()
            found = variants.find(calls) or self._other(begun, variants, calls)
        stretch = begun.stretch if found is None else found.stretch
        self._comes_before_backward(stretch)
        if again:
            return stretch if found is not None and variants.met(found) else None
        if found is not None and found.runs_as != stretch.number and stretch.sized is not None:
            name = stretch.sized.name
            self._otherwise[name] = self._otherwise.get(name, 0) + 1
        if begun.runs:
            begun.runs = False
            self._core.ran(stretch.number if found is None else found.runs_as)
        return None

    def _other(self, begun: Begun, variants: Variants, calls: int) -> Variant:
        """What a forward does that called modules in a way that none did before."""
        plain, (event, *_), *_ = begun.key
        sized = begun.stretch.sized
        stretch = self._new()
        if self._broken or sized is None:
            self._leave_out(stretch)
            variant = Variant(stretch, stretch.number)
        elif self._is_told(stretch, plain, event, sized.otherwise(calls)):
            variant = Variant(stretch, stretch.number)
        else:
            left_out = self._new()
            self._leave_out(left_out)
            variant = Variant(stretch, left_out.number, is_waiting=True)
        variants.keep(calls, variant)
        return variant

    # -- compiled code ---------------------------------------------------------------------

    def _compiles(self, frames: Any) -> None:
        enter = getattr(frames, "_callback_from_stance", None)
        if enter is None:
            self._fails(AttributeError(f"{_COMPILED} of this PyTorch can't be watched"))
        else:
            self._enters.put(enter)

    def _entered(self, callback: Any) -> None:
        """Compiled code is about to run, unless `callback` says that it is switched off.

        Under a mode it would be run without being compiled, and compiled at another call: nothing
        of ours may lie over it.
        """
        if callback is not None:
            self._runs_compiled()

    def _runs_compiled(self) -> None:
        here = self._here
        here.compiled = True
        begun = here.begun
        while begun is not None:
            begun.compiled = True
            if begun.counter is not None:
                begun.counter.leave()
            begun = begun.outer
        self._uncounted.setdefault("compiled code", "it runs as it does without being counted")

    def _say_left_out(self, event: str, name: str) -> None:
        most = self._stretches.MOST_COUNTED
        self._say(
            "operations.left-out",
            f"operations of the {event} of {name} follow no formula in the sizes of its inputs: "
            f"they were counted for {most} different sizes, and are not for further ones",
        )

    def _say_follows_data(self, stretch: Stretch, operator: str) -> None:
        name = stretch.sized.name if stretch.sized else "a call"
        self._say(
            "operations.data",
            f"what {name} does depends on its data, not only on shapes ({operator}): its "
            "operations are those of the calls that were counted, and other calls may have done "
            "more or less",
        )

    def _say(self, code: str, message: str) -> None:
        """Says something, once."""
        if message not in self._said:
            self._said.add(message)
            self._core.note(code, message)

    def _say_most(self) -> None:
        self._say(
            "operations.bounded",
            f"only {MOST_STRETCHES} different calls are counted, and there were more: a call whose "
            "arguments change every time is a different one every time",
        )

    def _fails(self, error: BaseException) -> None:
        """Laptime itself failed: what was counted stays, and nothing more is.

        Where the program stands so deep that no call can be made any more, or has no memory left,
        only this one is not counted.
        """
        from ._patches import say

        if issubclass(type(error), RecursionError):
            self._uncounted.setdefault("a call at the recursion limit", "counting needs calls too")
        elif issubclass(type(error), MemoryError):
            self._uncounted.setdefault("a call without memory", "counting needs some too")
        elif not self._broken:
            self._broken = True
            say("operations are not counted from here on", error)
            self._core.note("operations.failed", f"counting failed: {error}")

    # -- the end ---------------------------------------------------------------------------

    def finish(self) -> None:
        """Nothing is counted any more; says what could not be, and what the machine can do."""
        wait_no_more(self)
        self._enters.take()
        self._give_up(None)
        if self._uncounted:
            said = [f"{name} ({reason})" for name, reason in sorted(self._uncounted.items())]
            more = f" and {len(said) - 6} more" if len(said) > 6 else ""
            self._core.note("operations.uncounted", f"not counted: {', '.join(said[:6])}{more}")
        for name, times in self._otherwise.items():
            self._say(
                "operations.otherwise",
                f"{times} forwards of {name} called other modules than those that were counted (a "
                "loop of another length, or layers left out): their operations are not counted",
            )
        if self._known:
            self._stretches.finish()
            told, counted = self._stretches.outcome()
            if told:
                self._core.note("operations.told", f"{told} {counted}")
            self._core.note_ceilings()

    def forked(self) -> None:
        """In a child: what was being counted is the parent's."""
        for counter in list(self._counters):
            counter.is_live = False
        self._here = ThreadStretches()
        self._known = {}
        self._stretches = self._core.Stretches()


_all: weakref.WeakSet[Counting] = weakref.WeakSet()


def _forked() -> None:
    for counting in list(_all):
        counting.forked()


os.register_at_fork(after_in_child=_forked)
