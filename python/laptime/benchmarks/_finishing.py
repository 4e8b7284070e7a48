"""Waits for the work that a measured call leaves behind: on a device, and with JAX everywhere."""

from __future__ import annotations

import sys
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any

from .._launches import wait_for
from ..device.usage import synchronize


def finish_all(result: Any) -> None:
    """Waits for the work that a result stands for."""
    wait_for(result)
    finish_devices(result)


def finish_devices(_result: Any) -> None:
    """Waits for the current device, where the program uses one."""
    if "torch" in sys.modules:
        synchronize()


def holds_jax(result: Any) -> bool:
    """Whether a result has arrays of JAX in it, which are returned before they are computed."""
    jax: Any = sys.modules.get("jax")
    leaves = getattr(getattr(jax, "tree_util", None), "tree_leaves", None)
    array = getattr(jax, "Array", None)
    if leaves is None or array is None:
        return False
    return any(issubclass(type(leaf), array) for leaf in leaves(result))


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
