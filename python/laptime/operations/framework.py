"""Which framework counts a model or a function.

What it is decides: a module, a jitted function. Of a plain function the arrays that it is given
do, and where these are of no framework (NumPy's) the names in its code: what it runs.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager

from .names import framework_of, layers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import Any

TITLES = {"torch": "PyTorch", "jax": "JAX"}
CONTAINERS = (list, tuple, set, frozenset)


def framework_told(target: Any, inputs: Iterable[Any], kwargs: Mapping[str, Any]) -> str | None:
    """The framework that the target itself, or else its inputs, are of; None where it is open."""
    own = framework_of(target)
    if own is None and hasattr(target, "lower") and hasattr(target, "trace"):
        own = "jax"  # What `jax.jit` returns, in whatever it is wrapped.
    if own is not None:
        return own
    given = {found for it in _leaves((tuple(inputs), dict(kwargs))) if (found := framework_of(it))}
    return given.pop() if len(given) == 1 else None


def frameworks_named(target: Any) -> list[str]:
    """The frameworks that a function's code leads to, the nearest first, as far as imported."""
    imported = [name for name in ("torch", "jax") if name in sys.modules]
    order: dict[str, None] = {}
    for layer in layers(target):
        found = {framework_of(it) for it in layer}
        order.update((name, None) for name in imported if name in found)
        if len(order) == len(imported):
            break
    return list(order)


def holds_numpy(inputs: Iterable[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether there are NumPy arrays among the inputs."""
    numpy: Any = sys.modules.get("numpy")
    leaves = _leaves((tuple(inputs), dict(kwargs)))
    return numpy is not None and any(isinstance(it, numpy.ndarray) for it in leaves)


@contextmanager
def stops_jax(is_wanted: bool) -> Iterator[list[Exception]]:
    """Within it JAX runs nothing, if that is wanted; the list then has what it was to run.

    A step of JAX's that is tried as one of PyTorch's would run for real, and may give its
    arrays away.
    """
    jax: Any = sys.modules.get("jax")
    stopped: list[Exception] = []
    if not is_wanted or not hasattr(jax, "no_execution"):
        yield stopped
        return
    try:
        with jax.no_execution(True):
            yield stopped
    except RuntimeError as error:
        if "no_execution" not in str(error):
            raise
        stopped.append(error)


def _leaves(tree: Any) -> Iterator[Any]:
    """What is in a structure of inputs; what JAX knows as one is one."""
    jax: Any = sys.modules.get("jax")
    if jax is not None:
        try:
            # JAX warns of iterators that it isn't told of.
            return iter(jax.tree.leaves(tree, is_leaf=lambda it: hasattr(it, "__next__")))
        except (TypeError, ValueError):  # Keys that have no order, say.
            pass
    return _held(tree)


def _held(tree: Any) -> Iterator[Any]:
    if isinstance(tree, dict):
        for value in tree.values():
            yield from _held(value)
    elif isinstance(tree, CONTAINERS):
        for value in tree:
            yield from _held(value)
    else:
        yield tree
