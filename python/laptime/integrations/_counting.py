"""Counts operations as they run: each stretch of the program once, and then only that it ran.

A *segment* is a stretch whose operations are the same each time: the forward of a module on inputs
of one shape, the backward of such forwards, an optimizer's step. It goes on until the next one
begins, so what stands between them belongs to the one before. The first time a segment runs, every
operator is seen, on the program's own tensors, and filed under the lap that is open; the step
or evaluation that this happens in goes on under a name of its own, for it takes longer. From then
on a segment is recorded as one number.
"""

from __future__ import annotations

import functools
import logging
import os
import threading
import weakref
from collections.abc import Callable
from typing import Any

from ._segments import Keys

#: Forwards that a backward is told by, at most.
_MOST_FORWARDS = 63


class Segment:
    """A stretch of the program that is being counted or was."""

    def __init__(self, number: int) -> None:
        self.number = number


class Here(threading.local):
    """What a thread is in the middle of."""

    counter: Any = None
    """The mode that counts what runs now."""
    key: Any = None
    """Of the segment under way, while it is counted."""
    since_backward: tuple[int, ...] = ()
    """Numbers of the forwards that the next backward is of."""
    eager: Any = None
    """What keeps compiled code from running, while operations are counted."""


class Counting:
    """What is known of the segments of a process, and how to count another."""

    def __init__(self, torch: Any, core: Any, phases: Any) -> None:
        self._torch = torch
        self._core = core
        self._phases = phases
        self._here = Here()
        self._known: dict[Any, Segment] = {}
        self._keys = Keys(torch)
        self._uncounted: dict[str, str] = {}
        self._counters: weakref.WeakSet[Any] = weakref.WeakSet()
        self._broken = False
        self._last = 0
        os.register_at_fork(after_in_child=self._forked)

    def inside(self, event: str, original: Callable[..., Any]) -> Callable[..., Any]:
        """What stands in place of a function of torch's, inside the phase that it opened."""
        begin = {
            "fetch": self._fetch,
            "forward": self._forward,
            "backward": self._backward,
            "gradient": self._backward,
            "step": functools.partial(self._work, "step", original),
            "work": functools.partial(self._work, "work", original),
        }[event]
        ends = event == "step"

        @functools.wraps(original)
        def counted(*args: Any, **kwargs: Any) -> Any:
            framed = None
            try:
                framed = begin(args, kwargs)
            except Exception as error:
                self._fails(error)
            try:
                if framed is None:
                    return original(*args, **kwargs)
                with framed:
                    return original(*args, **kwargs)
            except BaseException:
                self._discard()
                raise
            finally:
                if ends or framed is not None:
                    self.stop()

        return counted

    # -- where segments begin --------------------------------------------------------------

    def _fetch(self, args: Any, kwargs: Any) -> Any:
        self.stop()
        self._here.since_backward = ()

    def _forward(self, args: Any, kwargs: Any) -> Any:
        here = self._here
        segment, framed = self._begin(("forward", self._keys.forward(args, kwargs)))
        if self._torch.is_grad_enabled():
            here.since_backward = (*here.since_backward[-_MOST_FORWARDS:], segment.number)
        return framed

    def _backward(self, args: Any, kwargs: Any) -> Any:
        here = self._here
        chain, here.since_backward = here.since_backward, ()
        return self._begin(("backward", chain))[1]

    def _work(self, event: str, original: Any, args: Any, kwargs: Any) -> Any:
        name = getattr(original, "__name__", "")
        if event == "step":
            self._here.since_backward = ()
        return self._begin((event, name, self._keys.owner(args, stepping=event == "step")))[1]

    def _begin(self, key: Any) -> tuple[Segment, Any]:
        """A segment begins; the mode that comes with it is to be entered around it alone."""
        self.stop()
        plain, is_aside = self._core.plain_path()
        whole = (plain, key)
        segment = self._known.get(whole)
        if segment is not None:
            if not is_aside:
                self._core.ran(segment.number)
            return segment, None
        self._last += 1
        self._known[whole] = segment = Segment(self._last)
        if self._broken:
            self._leave_out(segment)
            return segment, None
        return segment, self._count(whole)

    # -- counting --------------------------------------------------------------------------

    def _count(self, key: Any) -> Any:
        """Counts what runs from here on. A mode of the program's own is left as it lies on top:
        then only the call itself is counted, within the mode that comes back."""
        from ..operations.torch.live import LiveCounting

        self._phases.set_aside()
        here = self._here
        here.counter = counter = LiveCounting(self._core, self._core.path_number())
        here.key = key
        self._counters.add(counter)
        here.eager = _eager(self._torch)
        if counter.is_alone():
            counter.__enter__()
            return None
        return counter

    def stop(self) -> None:
        """The segment under way ends; what was counted of it is written."""
        here = self._here
        counter, here.counter = here.counter, None
        if counter is None:
            return
        counter.leave()
        eager, here.eager = here.eager, None
        if eager is not None:
            eager.__exit__(None, None, None)
        segment = self._known.get(here.key)
        if segment is None:
            return
        try:
            for path, counts in counter.finish():
                self._core.write_operations(segment.number, path, counts, counter.device)
                for one in counts.uncounted:
                    self._uncounted.setdefault(one.name, one.reason)
        except Exception as error:
            self._fails(error)

    def _discard(self) -> None:
        """The segment under way raised: it will be counted when it runs to its end."""
        here = self._here
        if here.counter is not None:
            self._known.pop(here.key, None)
            self.stop()

    def _leave_out(self, segment: Segment) -> None:
        """A segment that nobody counts, and the rows around it say so."""
        from .._core import Feed

        feed = Feed()
        feed.add(feed.operator("laptime::segment", []), [], [])
        path = self._core.path_number()
        self._core.write_operations(segment.number, path, feed.finish(), "")
        self._core.ran(segment.number)

    def _fails(self, error: Exception) -> None:
        """Laptime itself failed: what was counted stays, and nothing more is."""
        if not self._broken:
            self._broken = True
            logging.getLogger("laptime").error("operations are not counted", exc_info=error)
            self._core.note("operations.failed", f"counting failed: {error}")

    # -- the end ---------------------------------------------------------------------------

    def finish(self) -> None:
        """Nothing is counted any more; says what could not be, and what the machine can do."""
        self.stop()
        if self._uncounted:
            said = [f"{name} ({reason})" for name, reason in sorted(self._uncounted.items())]
            more = f" and {len(said) - 6} more" if len(said) > 6 else ""
            self._core.note("operations.uncounted", f"not counted: {', '.join(said[:6])}{more}")
        if self._known:
            self._core.note_ceilings()

    def _forked(self) -> None:
        """In a child: what was being counted is the parent's."""
        for counter in self._counters:
            counter.is_live = False
        self._here = Here()
        self._known = {}


def _eager(torch: Any) -> Any:
    """Keeps compiled code aside without forgetting it; None where nothing can be compiled."""
    import sys

    set_stance = getattr(torch.compiler, "set_stance", None)
    if set_stance is None or "torch._dynamo" not in sys.modules:
        return None
    stance = set_stance("force_eager")
    stance.__enter__()
    return stance
