"""Flax modules as functions of their variables.

A linen module is its `apply`; a bound one brings its variables along. An nnx module is an argument
of its call; while it runs, the calls of its parts stand in scopes named after their attributes,
which linen does by itself.
"""

from __future__ import annotations

import functools
import math
import sys
from collections.abc import Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass

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


def is_nnx_object(it: Any) -> bool:
    """Whether something holds state as nnx has it: a module, an optimizer, random numbers."""
    nnx: Any = sys.modules.get("flax.nnx")
    return nnx is not None and isinstance(it, (nnx.Pytree, nnx.Variable))


def values_in(tree: Any) -> list[Any]:
    """What the nnx objects in a tree hold now."""
    if "flax.nnx" not in sys.modules:
        return []
    import jax
    from flax import nnx

    objects = [it for it in jax.tree.leaves(tree, is_leaf=is_nnx_object) if is_nnx_object(it)]
    return jax.tree.leaves(nnx.split(tuple(objects))[1])  # type: ignore[no-any-return]


@dataclass(frozen=True)
class Call:
    """A function, with the arguments that come first: the variables of what it is of."""

    function: Any
    before: tuple[Any, ...] = ()
    # The module that it is, or is a method of.
    module: Any = None
    # Whether its result is one with the collections that it changed, as linen returns them.
    returns_state: bool = False


def called(target: Any, kwargs: Mapping[str, Any]) -> Call:
    """What counting a target calls."""
    inner = target.func if isinstance(target, functools.partial) else target
    options = {**target.keywords, **kwargs} if inner is not target else kwargs
    owner: Any = inner if is_nnx(inner) or is_linen(inner) else getattr(inner, "__self__", None)
    method = None if owner is inner else getattr(inner, "__name__", None)
    if is_nnx(owner) and inner is target:
        return Call(functools.partial(_call, method), (owner,), owner)
    if not is_linen(owner):
        return Call(target)
    if owner.scope is not None and inner is target:
        module, variables = owner.unbind()
        function = functools.partial(_apply, module, method, owner.scope)
        return Call(function, (variables,), owner, returns_state=owner.scope.mutable is not False)
    applies = method == "apply" or inner is owner
    returns_state = applies and options.get("mutable", False) is not False
    return Call(owner.apply if inner is owner is target else target, (), owner, returns_state)


def needs_variables(target: Any, inputs: Sequence[Any]) -> None:
    """Raises where a linen module, or its `apply`, is not bound and not given its variables."""
    applies = getattr(target, "__name__", None) == "apply"
    module: Any = getattr(target, "__self__", None) if applies else target
    if not is_linen(module) or module.scope is not None:
        return
    if inputs and isinstance(inputs[0], Mapping):
        return
    name = type(module).__name__
    given = "and none are given"
    if inputs:
        is_array = hasattr(inputs[0], "shape")
        given = f"not with {'an array' if is_array else type(inputs[0]).__name__}"
    raise TypeError(
        f"{name} of flax.linen is called with its variables first, {given}: "
        "lt.count(module, module.init(key, x), x), or jax.eval_shape(module.init, key, x) for "
        "shapes without memory; or bind them: lt.count(module.bind(variables), x)"
    )


def _apply(
    module: Any, method: str | None, scope: Any, variables: Any, *inputs: Any, **named: Any
) -> Any:
    """Calls a linen module on its own with what it was bound to."""
    rngs = {name: random.as_jax_rng() for name, random in scope.rngs.items()}
    options = {"rngs": rngs or None, "mutable": scope.mutable}
    return module.apply(variables, *inputs, method=method, **options, **named)


def _call(method: str | None, module: Any, *inputs: Any, **named: Any) -> Any:
    with _named(module):
        return (module if method is None else getattr(module, method))(*inputs, **named)


def parts(module: Any, variables: Any) -> dict[str, tuple[str, int]]:
    """Paths of a module's parts, each with its class if known and its parameters' elements."""
    if is_nnx(module):
        from flax import nnx

        return {
            ".".join(str(key) for key in path): (
                type(part).__name__,
                elements(nnx.state(part, nnx.Param)),
            )
            for path, part in nnx.iter_graph(module)
            if isinstance(part, nnx.Module)
        }
    if is_linen(module) and isinstance(variables, Mapping) and "params" in variables:
        # linen's own scope for the outermost module.
        name = module.name or type(module).__name__
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
