"""`lt.log_every`: one line about every so many steps, while a training runs."""

from __future__ import annotations

import sys

from ._lines import write
from ._step_sink import StepSink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TextIO

    from ._core import StepWindow

_current: StepSink | None = None


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
    with each `StepWindow`. A second call takes the place of the first; None or 0 ends it.
    """
    global _current
    tell: Callable[[StepWindow], object]
    if callable(file):
        tell = file
    elif file is None:
        # The program may set another one meanwhile.
        tell = _to_stderr
    elif hasattr(file, "write"):
        to = file
        tell = lambda window: write(str(window), to)  # noqa: E731
    else:
        raise TypeError(f"file is a file or is called, and not {type(file).__name__}")
    sink = StepSink(steps, tell, name=name, what="lt.log_every") if steps else None
    last, _current = _current, sink
    if last is not None:
        last.stop()


def _to_stderr(window: StepWindow) -> None:
    write(str(window), sys.stderr)
