"""What `lt.track(…, log=True)` says of each round."""

from __future__ import annotations

import sys

from ._core import StepListener, epoch_line, now, ticks_to_ns, total_line
from ._lines import is_bar, write
from ._step_sink import Safely

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TextIO


class EpochLog:
    """Writes a line when a round ends, and one at the end of all."""

    def __init__(self, items: Any, name: str, to: bool | TextIO | Callable[[str], object]) -> None:
        self._name = name
        self._to = to
        self._bar = items if is_bar(items) else None
        self._of = _length(items)
        self._durations: list[float] = []
        self._safely = Safely("lt.track")
        self._listener = StepListener(name)
        self._listener.start()
        self._begun = self._first = now()

    def ended(self) -> None:
        """A round is over, and the next one begins."""
        end = now()
        self._durations.append(ticks_to_ns(end - self._begun) / 1e9)
        self._safely(self._say_round)
        self._begun = now()

    def finished(self) -> None:
        """All are."""
        self._listener.stop()
        if self._durations:
            seconds = ticks_to_ns(now() - self._first) / 1e9
            self._safely(lambda: self._write(total_line(seconds)))

    def left(self) -> None:
        """The loop was left in a round, which is told too."""
        if not sys.is_finalizing():
            self.ended()
            self.finished()

    def _say_round(self) -> None:
        metrics = self._listener.take_metrics()
        self._write(epoch_line(self._name, self._of, metrics, self._durations))

    def _write(self, line: str) -> None:
        if callable(self._to):
            self._to(line)
        else:
            to = sys.stdout if self._to is True else self._to
            write(line, to, self._bar)  # type: ignore[arg-type]


def _length(items: Any) -> int | None:
    try:
        return len(items)
    except Exception:
        return None  # it has none, or can't tell now
