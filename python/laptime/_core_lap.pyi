"""What `_core` has for laps; there is no such module of its own."""

from collections.abc import Awaitable, Callable
from types import TracebackType
from typing import Any, SupportsIndex, TypeVar, overload

from typing_extensions import disjoint_base

_F = TypeVar("_F", bound=Callable[..., Any])

@disjoint_base
class Lap:
    """A named lap: use it in `with`, in `async with`, or as a decorator."""

    def __enter__(self) -> Lap: ...
    def __exit__(
        self,
        kind: type[BaseException] | None = ...,
        error: BaseException | None = ...,
        traceback: TracebackType | None = ...,
        /,
    ) -> None: ...
    def __aenter__(self) -> Awaitable[Lap]: ...
    def __aexit__(
        self,
        kind: type[BaseException] | None = ...,
        error: BaseException | None = ...,
        traceback: TracebackType | None = ...,
        /,
    ) -> Awaitable[None]: ...
    def __call__(self, function: _F, /) -> _F: ...
    @property
    def name(self) -> str:
        """The name as given."""
    @property
    def seconds(self) -> float | None:
        """Seconds of the last span that this name closed in this task; None before."""
    @property
    def duration_ns(self) -> int | None:
        """Nanoseconds of the last span that this name closed in this task; None before."""
    @property
    def flop(self) -> int | None:
        """Floating-point operations of the span of this name that is open here; None where not said."""
    @flop.setter
    def flop(self, value: SupportsIndex | float | None, /) -> None: ...
    @property
    def bytes(self) -> int | None:
        """Bytes moved by the span of this name that is open here; None where not said."""
    @bytes.setter
    def bytes(self, value: SupportsIndex | float | None, /) -> None: ...

@overload
def lap(
    name: str,
    /,
    *,
    flop: SupportsIndex | float | None = None,
    bytes: SupportsIndex | float | None = None,
) -> Lap: ...
@overload
def lap(
    name: _F,
    /,
    *,
    flop: SupportsIndex | float | None = None,
    bytes: SupportsIndex | float | None = None,
) -> _F: ...
