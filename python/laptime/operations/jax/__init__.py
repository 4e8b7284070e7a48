"""Counts a JAX function from its jaxpr.

The function is traced with the shapes of its arguments, never run: `arguments` has what is stood
in for, `closures` what the function reaches besides, `flax` takes modules as functions of their
variables, `training` adds the gradients and `walk` reads the jaxpr. What XLA's own analysis says
of the same program stands beside as a cross-check.
"""

from __future__ import annotations

import sys

from ..._core import Feed
from .arguments import Arguments, is_array
from .caches import undisturbed
from .closures import Captured
from .flax import called, elements, is_linen, is_nnx, needs_variables, parts, values_in
from .training import gradients
from .walk import Nesting, Walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from ..._core import OpCounts
    from .flax import Call


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
    "params", as linen has it, or an nnx module, for its parameters alone.
    """
    needs_variables(target, inputs)
    call = called(target, kwargs)
    captured = Captured(target)

    def counted(kept: tuple[type, ...]) -> OpCounts:
        arguments = Arguments((*call.before, *inputs), kwargs, kept)
        run = _program(call, arguments, captured, updates=not backward)
        weights = arguments.weights()
        if backward:
            run, weights = gradients(run, arguments, loss, call.returns_state)
        counts = _counts(run, arguments, captured, call, weights)
        return counts._of(_name(target), inputs=_inputs(inputs, kwargs), how="from its jaxpr")

    with undisturbed():
        try:
            return counted(())
        except _wants_values() as error:
            numpy: Any = sys.modules.get("numpy")
            if backward or numpy is None or not _holds(numpy.ndarray, inputs, kwargs):
                raise
            # What NumPy does with its own arrays is no part of the account, nor is it traced.
            first = error
        try:
            return counted((numpy.ndarray, numpy.generic))
        except _wants_values():
            raise first from None


def _wants_values() -> tuple[type[Exception], ...]:
    """What JAX raises where a program asks for the numbers in an array."""
    from jax import errors

    return (errors.ConcretizationTypeError, errors.TracerArrayConversionError)


def _holds(kind: type, inputs: Sequence[Any], kwargs: Mapping[str, Any]) -> bool:
    import jax

    return any(isinstance(it, kind) for it in jax.tree.leaves((tuple(inputs), dict(kwargs))))


def _program(call: Call, arguments: Arguments, captured: Captured, *, updates: bool) -> Any:
    """The function of the arrays that stand in, and of what is done with its result.

    With `updates`, what it leaves in nnx objects is a part of the result: XLA would take what no
    result needs, such as the backward of a step that updates its model, for work that nobody does.
    """

    def run(arrays: Sequence[Any], held: Sequence[Any], then: Callable[[Any], Any]) -> Any:
        with captured.holding(held):
            positional, named = arguments.filled(arrays)
            result = call.function(*positional, **named)
            if updates:
                result = (result, values_in((positional, named)), captured.arrays)
            return then(result)

    return run


def _counts(
    run: Any, arguments: Arguments, captured: Captured, call: Call, weights: list[int] | None
) -> OpCounts:
    import jax

    def program(arrays: Sequence[Any], held: Sequence[Any]) -> Any:
        return run(arrays, held, lambda it: [at for at in jax.tree.leaves(it) if is_array(at)])

    trace: Any = jax.jit(program).trace(arguments.arrays, captured.arrays)
    feed = Feed()
    walk = Walk(feed)
    walk.program(trace.jaxpr, Nesting())
    for path, (kind, params) in parts(call.module, arguments.first_value).items():
        feed.module(path, kind=kind, params=params)
    _cross_check(feed, trace, walk.has_loops)
    own = None if weights is None else elements([arguments.arrays[at] for at in weights])
    return feed.finish(params=own)


def _name(target: Any) -> str:
    owner = getattr(target, "__self__", None)
    whole = target if is_nnx(target) or is_linen(target) else owner
    if is_nnx(whole) or is_linen(whole):
        return type(whole).__name__
    return getattr(target, "__name__", type(target).__name__)


def _inputs(
    inputs: Sequence[Any], kwargs: Mapping[str, Any]
) -> list[tuple[str, tuple[int, ...], str]]:
    """Inputs that are arrays themselves: name, shape and type."""
    named = [*(("", value) for value in inputs), *kwargs.items()]
    return [
        (label, tuple(value.shape), str(value.dtype)) for label, value in named if is_array(value)
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
