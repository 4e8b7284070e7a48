"""Flax modules as functions of their parameters.

A linen module is its `apply`. An nnx module is split into its parameters and the rest, and put
together again inside the trace; while it runs, the calls of its parts stand in scopes named
after their attributes, which linen does by itself.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from contextlib import ExitStack, contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any


def is_linen(target: Any) -> bool:
    linen: Any = sys.modules.get("flax.linen")
    return linen is not None and isinstance(target, linen.Module)


def is_nnx(target: Any) -> bool:
    nnx: Any = sys.modules.get("flax.nnx")
    return nnx is not None and isinstance(target, nnx.Module)


def parts(target: Any, inputs: Sequence[Any]) -> dict[str, tuple[str, int]]:
    """Paths of a module's parts, each with its class if known and its parameters' elements."""
    own = is_nnx(target) or is_linen(target)
    owner: Any = target if own else getattr(target, "__self__", None)
    if is_nnx(owner):
        from flax import nnx

        return {
            ".".join(str(key) for key in path): (
                type(part).__name__,
                elements(nnx.state(part, nnx.Param)),
            )
            for path, part in nnx.iter_graph(owner)
            if isinstance(part, nnx.Module)
        }
    variables = inputs[0] if inputs else None
    if is_linen(owner) and isinstance(variables, Mapping) and "params" in variables:
        # linen's own scope for the outermost module.
        name = owner.name or type(owner).__name__
        return {"": ("", elements(variables["params"])), **_below(name, variables["params"])}
    return {}


def _below(path: str, params: Any) -> dict[str, tuple[str, int]]:
    found = {path: ("", elements(params))}
    for name, inner in params.items():
        if isinstance(inner, Mapping):
            found.update(_below(f"{path}.{name}", inner))
    return found


def elements(tree: Any) -> int:
    """Elements of all arrays of a tree."""
    import jax

    shapes = (leaf.shape for leaf in jax.tree.leaves(tree) if hasattr(leaf, "shape"))
    return sum(math.prod(shape) for shape in shapes)


def linen_function(module: Any) -> Any:
    """The function of a linen module: its variables come first."""
    return module.apply


def nnx_function(target: Any) -> tuple[Any, Any, Any]:
    """The function of an nnx module, or of a method of one; its parameters, and its other state.

    The function takes the parameters and the other state before its arguments.
    """
    from flax import nnx

    module = target if is_nnx(target) else target.__self__
    method = None if target is module else target.__name__
    graph, weights, rest = nnx.split(module, nnx.Param, ...)

    def function(weights: Any, rest: Any, *inputs: Any, **named: Any) -> Any:
        whole = nnx.merge(graph, weights, rest)
        with _named(whole):
            return (whole if method is None else getattr(whole, method))(*inputs, **named)

    return function, weights, rest


@contextmanager
def _named(module: Any) -> Iterator[None]:
    """Puts each call of a part of an nnx module into scopes named after its path."""
    import jax
    from flax import nnx

    paths: dict[int, tuple[str, ...]] = {
        id(part): tuple(str(key) for key in path)
        for path, part in nnx.iter_graph(module)
        if isinstance(part, nnx.Module)
    }
    kinds = {type(part) for _, part in nnx.iter_graph(module) if isinstance(part, nnx.Module)}
    around: list[tuple[str, ...]] = [()]

    def wrapped(original: Any) -> Any:
        def call(self: Any, *inputs: Any, **named: Any) -> Any:
            path = paths.get(id(self))
            if path is None:
                return original(self, *inputs, **named)
            outer = around[-1]
            inside = path[len(outer) :] if path[: len(outer)] == outer else path
            around.append(path)
            try:
                with ExitStack() as scopes:
                    for name in inside:
                        scopes.enter_context(jax.named_scope(name))
                    return original(self, *inputs, **named)
            finally:
                around.pop()

        return call

    with ExitStack() as undo:
        for kind in kinds:
            original = getattr(kind, "__call__", None)  # noqa: B004
            if original is None:
                continue
            if "__call__" in vars(kind):
                undo.callback(setattr, kind, "__call__", original)
            else:
                undo.callback(delattr, kind, "__call__")
            kind.__call__ = wrapped(original)
        yield
