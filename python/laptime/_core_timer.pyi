"""Timers of the compiled part: see `laptime.Timer` and `laptime.torchtimer`."""

from collections.abc import Sequence
from numbers import Real
from typing import Any, Literal, TypeAlias, final

from typing_extensions import Self, disjoint_base

from ._core import Report

@final
class Timer:
    """An explicit timer with named segments and a history of its own.

    On a device, `stop` returns a `numbers.Real` that waits for its own end event when it is used.
    """

    def __new__(
        cls,
        name: str = "timer",
        *,
        device: Any = None,
        clock: Literal["wall", "process", "thread"] = "wall",
        cpu: bool = False,
        memory: bool = False,
    ) -> Timer: ...
    @property
    def name(self) -> str: ...
    def start(self, name: str, /) -> None: ...
    def stop(self, name: str, /) -> float | None: ...
    def stop_and_start(self, stop: str, start: str, /) -> float | None: ...
    def context(self, name: str) -> TimerContext: ...
    def history(
        self,
        name: str,
        *,
        context: str = "main",
        field: Literal["elapsed_time"] = "elapsed_time",
    ) -> list[float]: ...
    def disable(self) -> None: ...
    def enable(self) -> None: ...
    def clear(self) -> None: ...
    def remove(self, name: str, *, context: str = "main") -> None: ...
    def summary(self) -> Report: ...
    def _repr_mimebundle_(
        self, include: Any | None = None, exclude: Any | None = None
    ) -> dict[str, str]: ...

@final
class TimerContext:
    """A named set of segments of a timer."""

    @property
    def name(self) -> str: ...
    def start(self, name: str, /) -> None: ...
    def stop(self, name: str, /) -> float | None: ...
    def stop_and_start(self, stop: str, start: str, /) -> float | None: ...
    def history(
        self, name: str, *, field: Literal["elapsed_time"] = "elapsed_time"
    ) -> list[float]: ...
    def disable(self) -> None: ...
    def enable(self) -> None: ...
    def clear(self) -> None: ...
    def remove(self, name: str) -> None: ...

_SegmentState: TypeAlias = tuple[
    tuple[str, bool],
    tuple[list[int], list[int]],
    tuple[list[tuple[int, int]], int | None],
    list[tuple[int, int, int]],
    tuple[int, int],
]
_ContextState: TypeAlias = tuple[str, bool, list[_SegmentState]]
#: Start and duration in ns; bytes at the start, at the end, and at most.
_Run: TypeAlias = tuple[int, int, tuple[int, int, int] | None]
_Bounds: TypeAlias = tuple[int, int] | None
#: Name, runs, ns in all, net and peak bytes.
_Figures: TypeAlias = tuple[str, int, int, _Bounds, _Bounds]

@disjoint_base
class ProfilingSegments:
    """What `laptime.torchtimer.ProfilingTimer` is made from."""

    def __new__(cls, *arguments: Any, **_keywords: Any) -> Self: ...
    def start(self, name: Any = "default", context: Any = None) -> None:
        """Starts a segment."""

    def stop(self, name: Any = "default", context: Any = None) -> Real | float | None:
        """Stops a segment and returns its seconds; None when disabled or not started."""

    def end(self, name: Any = "default", context: Any = None) -> Real | float | None:
        """Stops a segment, as `stop` does."""

    def stop_and_start(
        self, stop_name: Any = None, start_name: Any = None, context: Any = None
    ) -> Real | float | None:
        """Stops one segment, starts another, and returns the seconds of the first."""

    def enable(self) -> None:
        """Measures again."""

    def disable(self) -> None:
        """Measures nothing from now on, in no context, and shows nothing."""

    def enable_context(self, context: Any) -> None:
        """Measures again in a context."""

    def disable_context(self, context: Any) -> None:
        """Measures nothing from now on in a context, and leaves it out of what is shown."""

    def clear(self) -> None:
        """Forgets everything."""

    def clear_states(self) -> None:
        """Forgets what was started and not stopped."""

    @property
    def _enabled(self) -> bool: ...
    def _measure(self, gauge: Any) -> str | None: ...
    def _disabled(self) -> list[str]: ...
    def _remove(self, name: Any, context: Any) -> None: ...
    def _history(self, name: Any, context: Any, origin: int) -> list[_Run]: ...
    def _figures(self, origin: int) -> list[tuple[str, int, list[_Figures]]]: ...
    def _report(self, timer: Any) -> Report: ...
    def _runs(self, origin: int) -> list[tuple[str, list[tuple[str, list[_Run]]]]]: ...
    def _state(self, origin: int) -> list[_ContextState]: ...
    def _restore(self, state: Sequence[_ContextState], origin: int) -> None: ...
