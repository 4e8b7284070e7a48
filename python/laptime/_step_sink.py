"""Hands windows of steps to whoever asked for them: a line, a logger, a callable."""

from __future__ import annotations

from ._core import StepListener, raised_by_handler
from ._log import warn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._core import StepWindow

# What a counter of steps holds.
_MOST = 2**63 - 1


class StepSink:
    """Calls `tell(window)` at the end of every `every` steps, until `stop()`.

    What that raises goes no further, but for one warning. Nothing is called in a process that was
    forked from this one.
    """

    def __init__(
        self,
        every: object,
        tell: Callable[[StepWindow], object],
        *,
        name: str = "step",
        what: str,
        end: Callable[[], object] | None = None,
    ) -> None:
        if not isinstance(every, int) or isinstance(every, bool) or every < 1:
            raise ValueError(
                f"{what} takes a number of steps, a whole number from 1 on, not {every!r}"
            )
        if every > _MOST:
            raise ValueError(f"{what} takes a number of steps, at most {_MOST}, not {every}")
        self._safely = Safely(what)
        self._end = end
        safely = self._safely
        self._listener = StepListener(name, every, lambda window: safely(tell, window))
        self._listener.start()

    def rest(self) -> StepWindow | None:
        """The steps since the last window, which fill none; None when there was none."""
        return self._listener.take()

    def others(self) -> list[str]:
        """Names of laps that came more than once, where none of this name did; most time first."""
        return self._listener.others()

    def stop(self) -> None:
        """Tells no more; a second time does nothing."""
        self._listener.stop()
        end, self._end = self._end, None
        if end is not None:
            self._safely(end)

    def __enter__(self) -> StepSink:
        return self

    def __exit__(self, *_raised: object) -> None:
        self.stop()

    def __copy__(self) -> StepSink:
        return self

    def __deepcopy__(self, memo: object) -> StepSink:
        return self


class Safely:
    """Calls what may fail, and says so once."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._has_failed = False

    def __call__(self, call: Callable[..., object], *given: Any) -> None:
        try:
            call(*given)
        except BaseException as error:
            if raised_by_handler(error, own=False):
                raise
            if not self._has_failed:
                self._has_failed = True
                told = " ".join(f"{type(error).__name__}: {error}".split())
                warn(f"{self._what}: {told}; the program goes on, and this is said once")
