"""Results of a measured call that stand for work which hasn't been done."""

from __future__ import annotations

from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any


def lazy(result: Any, coroutine: str, generator: str) -> str | None:
    """Says of a result that stands for work which hasn't been done, and what to do about coroutines
    and async generators.
    """
    kind = type(result)  # and not its `__class__`, which may be anything, and may raise
    if issubclass(kind, CoroutineType):
        result.close()
        return f"It returned a coroutine, which hasn't run: {coroutine}."
    if issubclass(kind, AsyncGeneratorType):
        return f"It returned an async generator, which hasn't run: {generator}."
    if issubclass(kind, (GeneratorType, map, filter, zip)):
        return (
            f"It returned a {kind.__name__}, which hasn't run: "
            "list(…) around it measures its items too."
        )
    if kind.__name__ == "LazyFrame" and callable(getattr(result, "collect", None)):
        return "It returned a LazyFrame, which hasn't run: .collect() measures its work too."
    if hasattr(kind, "__dask_graph__"):
        return "It returned a Dask collection, which hasn't run: .compute() measures its work too."
    return None
