"""`lt.log_every`: one line about every so many steps, while a training runs."""

from __future__ import annotations

import atexit
import os
import sys

from ._lines import write
from ._log import warn
from ._step_sink import Safely, StepSink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from ._core import StepWindow

_current: _Told | None = None


def log_every(
    steps: int | None,
    *,
    file: TextIO | Callable[[StepWindow], object] | None = None,
    name: str = "step",
) -> None:
    """Prints one line about every so many steps from now on, on the standard error.

        step 1200 | 212 ms (p95 230) | data 3% fwd 31% bwd 52% opt 9% | 1.2 GiB peak

    Steps are the laps of that `name`: those of `lt.track`, of `with lt.lap("step")`, and those that
    are found with no edit. What isn't known is left out. `file` is another file, or is called
    with each `StepWindow`. A second call takes the place of the first; None or 0 ends it. What is
    left then, or at the end of the program, is a line of its own that says how many steps it has.
    """
    global _current
    if file is not None and not callable(file) and not hasattr(file, "write"):
        raise TypeError(f"file must be an open file or a function, not {type(file).__name__}")
    told = _Told(steps, file, name) if steps else None
    last, _current = _current, told
    if last is not None:
        last.end()


class _Told:
    """Who is told of the steps of a name, from a call of `log_every` to the next."""

    def __init__(
        self, every: int, to: TextIO | Callable[[StepWindow], object] | None, name: str
    ) -> None:
        self._every, self._to, self._name = every, to, name
        self._has_told = False
        self._sink = StepSink(every, self._tell, name=name, what="lt.log_every")
        self._process = os.getpid()
        atexit.register(self.end)

    def end(self) -> None:
        """Tells what is left, or what would have counted where nothing did."""
        atexit.unregister(self.end)
        if self._process != os.getpid():
            return  # a child that was forked meanwhile
        others = [] if self._has_told else self._sink.others()
        rest = self._sink.rest()
        self._sink.stop()
        if rest is not None:
            Safely("lt.log_every")(self._tell, rest)
        elif others:
            names = ", ".join(map(repr, others))
            warn(
                f"lt.log_every: there was no lap named {self._name!r}; name= takes the name of "
                f"others: {names}"
            )

    def _tell(self, window: StepWindow) -> None:
        self._has_told = True
        if callable(self._to):
            self._to(window)
            return
        rest = window.count % self._every
        left = f" | {rest} of {self._every} steps" if rest else ""
        # The program may set another standard error meanwhile.
        write(f"{window}{left}", sys.stderr if self._to is None else self._to)
