"""Counts a JAX function from its jaxpr.

The function is traced with the shapes of its arguments, never run: arrays, NumPy arrays and
`jax.ShapeDtypeStruct` are its inputs, everything else (flags, callables) stays as it is. Flax
modules are taken as functions of their parameters. What XLA's own analysis says of the same
program stands beside as a cross-check.
"""

from __future__ import annotations

import sys

from ..._core import Feed
from .flax import elements, is_linen, is_nnx, linen_function, nnx_function, parts
from .walk import Place, Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ..._core import OpCounts


def takes(target: Any, inputs: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    """Whether something is to be counted as a JAX function. Imports nothing."""
    jax: Any = sys.modules.get("jax")
    if jax is None or not callable(target):
        return False
    if hasattr(target, "lower") and hasattr(target, "trace"):
        return True  # What `jax.jit` returns.
    owner = getattr(target, "__self__", None)
    if any(is_nnx(it) or is_linen(it) for it in (target, owner)):
        return True
    kinds = (jax.Array, jax.ShapeDtypeStruct)
    return any(isinstance(leaf, kinds) for leaf in jax.tree.leaves((inputs, dict(kwargs))))


def count(
    target: Any,
    inputs: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    backward: bool = False,
    loss: Callable[[Any], Any] | None = None,
) -> OpCounts:
    """Counts one call of a JAX function.

    With `backward`, also the gradients of `loss` of its result (else of its `.loss`, else of the
    sum of its floating outputs) for its first argument; where that is a mapping with the key
    "params", as Flax has it, for these alone.
    """
    import jax

    function, arguments, weights = _function(target, tuple(inputs))
    if backward:
        function, arguments, weights = _training(function, arguments, loss, weights)
    leaves, tree = jax.tree.flatten((arguments, dict(kwargs)))
    traced = [at for at, leaf in enumerate(leaves) if _is_array(leaf)]

    def program(*values: Any) -> list[Any]:
        filled = list(leaves)
        for at, value in zip(traced, values):
            filled[at] = value
        positional, named = jax.tree.unflatten(tree, filled)
        result = function(*positional, **named)
        return [leaf for leaf in jax.tree.leaves(result) if _is_array(leaf)]

    trace: Any = jax.jit(program).trace(*(leaves[at] for at in traced))
    feed = Feed()
    walk = Walk(feed)
    walk.program(trace.jaxpr, Place())
    for path, (kind, params) in parts(target, inputs).items():
        feed.module(path, kind=kind, params=params)
    _cross_check(feed, trace, walk.has_loops)
    counts = feed.finish(params=None if weights is None else elements(weights))
    return counts._of(_name(target), inputs=_inputs(inputs, kwargs), how="from its jaxpr")


def _name(target: Any) -> str:
    owner = getattr(target, "__self__", None)
    whole = target if is_nnx(target) or is_linen(target) else owner
    if is_nnx(whole) or is_linen(whole):
        return type(whole).__name__
    return getattr(target, "__name__", type(target).__name__)


def _inputs(
    inputs: Sequence[Any], kwargs: Mapping[str, Any]
) -> list[tuple[str, tuple[int, ...], str]]:
    """Those inputs that are arrays themselves, as what they are called with."""
    named = [*(("", value) for value in inputs), *kwargs.items()]
    return [
        (label, tuple(value.shape), str(value.dtype)) for label, value in named if _is_array(value)
    ]


def _cross_check(feed: Feed, trace: Any, has_loops: bool) -> None:
    """Notes what XLA's own analysis says of the program; it compiles nothing."""
    code, name = "xla_cost_analysis", "XLA's cost analysis"
    try:
        flop = (trace.lower().cost_analysis() or {}).get("flops")
    except Exception as error:  # Another platform's kernels, an unfinished backend: its business.
        reason = (str(error) or type(error).__name__).splitlines()[0]
        feed.warn(code, f"{name} gives no cross-check: {reason}")
        return
    if flop is None or flop < 0:
        feed.warn(code, f"{name} gives no cross-check: it does not know the program's FLOP")
        return
    feed.cross_check(name, flop)
    if has_loops:
        feed.warn(code, f"{name}, the cross-check, counts the body of a loop once")


def _function(target: Any, inputs: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...], Any]:
    """What to trace, with what, and the parameters among it."""
    owner = getattr(target, "__self__", None)
    if is_nnx(target) or is_nnx(owner):
        function, weights, rest = nnx_function(target)
        return function, (weights, rest, *inputs), weights
    if is_linen(target):
        target = linen_function(target)
    return target, inputs, _parameters(inputs[0]) if inputs else None


def _training(
    function: Any, arguments: tuple[Any, ...], loss: Any, weights: Any
) -> tuple[Any, tuple[Any, ...], Any]:
    """The function with its gradients, and its arguments with what these are for in front."""
    import jax
    from jax import numpy

    if not arguments:
        raise TypeError(
            "backward=True counts gradients for the function's first argument, and none was given"
        )
    first, *rest = arguments
    if weights is None:
        weights = first
    nested = weights is not first and _parameters(first) is weights
    leaves, tree = jax.tree.flatten(weights)
    floating = [
        at
        for at, leaf in enumerate(leaves)
        if _is_array(leaf) and numpy.issubdtype(leaf.dtype, numpy.inexact)
    ]
    if not floating:
        raise TypeError(
            "backward=True counts gradients for the function's first argument, "
            f"and there is no floating-point array in it: {type(first).__name__}"
        )
    others = {key: value for key, value in first.items() if key != "params"} if nested else None
    constant = [None if at in set(floating) else leaf for at, leaf in enumerate(leaves)]

    def value(moved: list[Any], constant: list[Any], others: Any, *rest: Any, **named: Any) -> Any:
        filled = list(constant)
        for at, leaf in zip(floating, moved):
            filled[at] = leaf
        whole = jax.tree.unflatten(tree, filled)
        result = function({**others, "params": whole} if nested else whole, *rest, **named)
        if loss is not None:
            return loss(result)
        return result.loss if hasattr(result, "loss") else _sum(result)

    moved = [leaves[at] for at in floating]
    return jax.value_and_grad(value), (moved, constant, others, *rest), weights


def _sum(result: Any) -> Any:
    """The sum of all floating-point numbers of a result."""
    import jax
    from jax import numpy

    floating = [
        leaf
        for leaf in jax.tree.leaves(result)
        if _is_array(leaf) and numpy.issubdtype(leaf.dtype, numpy.inexact)
    ]
    if not floating:
        raise TypeError(
            "the function returns no floating-point array to take gradients of: "
            "give loss=, a function of its result"
        )
    total = numpy.real(numpy.sum(floating[0]))
    for leaf in floating[1:]:
        total = total + numpy.real(numpy.sum(leaf))
    return total


def _parameters(first: Any) -> Any:
    """The parameters of a first argument as Flax has it."""
    from collections.abc import Mapping

    return first["params"] if isinstance(first, Mapping) and "params" in first else None


def _is_array(leaf: Any) -> bool:
    return hasattr(leaf, "shape") and hasattr(leaf, "dtype")
