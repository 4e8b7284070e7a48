"""A function with its gradients: of what, and for what."""

from __future__ import annotations

from .arguments import is_array

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .arguments import Arguments


def gradients(
    run: Any, arguments: Arguments, loss: Callable[[Any], Any] | None, returns_state: bool
) -> tuple[Any, list[int]]:
    """The program with its gradients, and which of its arrays count as parameters.

    They are for the floating-point numbers in the first argument's parameters, else in the first
    argument.
    """
    import jax
    from jax import numpy

    first = arguments.first_value
    weights = arguments.weights()
    if weights is None:
        weights = arguments.first()
    arrays = arguments.arrays
    moved = [at for at in weights if numpy.issubdtype(arrays[at].dtype, numpy.inexact)]
    if not moved:
        raise TypeError(
            "backward=True counts gradients for the function's first argument, "
            + (
                f"and there is no floating-point array in it: {type(first).__name__}"
                if arguments.is_given
                else "and none was given"
            )
        )

    def value(result: Any) -> Any:
        if loss is not None:
            return loss(result)
        if returns_state:  # What it keeps for the next call is no part of what it computes.
            result, _ = result
        return result.loss if hasattr(result, "loss") else _sum(result)

    def trained(arrays: Sequence[Any], held: Sequence[Any], then: Callable[[Any], Any]) -> Any:
        def at_weights(weights: Sequence[Any]) -> Any:
            filled = list(arrays)
            for at, weight in zip(moved, weights):
                filled[at] = weight
            return run(filled, held, value)

        return then(jax.value_and_grad(at_weights)([arrays[at] for at in moved]))

    return trained, weights


def _sum(result: Any) -> Any:
    """The sum of all floating-point numbers of a result."""
    import jax
    from jax import numpy

    floating = [
        leaf
        for leaf in jax.tree.leaves(result)
        if is_array(leaf) and numpy.issubdtype(leaf.dtype, numpy.inexact)
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
