from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, TypeAlias, overload

from ._core import Comparison
from .benchmarks import FunctionComparison

_FilePath: TypeAlias = str | bytes | PathLike[str] | PathLike[bytes]

@overload
def compare(
    base: _FilePath | Sequence[_FilePath],
    new: _FilePath | Sequence[_FilePath],
    *,
    threshold: float = 0.01,
    allow_different: bool = False,
    salvage: bool = False,
) -> Comparison: ...
@overload
def compare(
    base: Mapping[str, Callable[..., Any]],
    *,
    setup: Callable[[], Any] | None = None,
    budget: float | None = None,
    threshold: float = 0.01,
    seed: int | None = None,
) -> FunctionComparison: ...
