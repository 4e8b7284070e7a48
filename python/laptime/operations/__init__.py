"""What a program's operations cost: FLOP, MAC and bytes, from shapes alone.

    counts = lt.count(model, x, backward=True)
    print(counts)

Frameworks are looked up among what the program has imported; none is imported for it.
"""

from __future__ import annotations

import os
import sys

from .._core import OpCall, OpCounts, register_formula as _register, set_unseen

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Any, Literal

__all__ = ["count", "no_weights", "register_formula"]


def count(
    model: Any,
    *inputs: Any,
    kwargs: Mapping[str, Any] | None = None,
    backward: bool = False,
    loss: Callable[[Any], Any] | None = None,
    mode: Literal["auto", "fake", "real"] = "auto",
    dims: Mapping[str, int] | None = None,
) -> OpCounts:
    """Counts one call of a model or function, and its backward if asked; or an ONNX file.

    PyTorch runs it on fake tensors, which have shapes and no memory. Where control flow depends on
    data it runs on the real ones and says so; `mode="fake"` and `mode="real"` decide. The model is
    left as it was.

    The backward begins at `loss(output)`; without one, at the output's `.loss`, else at the sum of
    its floating outputs. Inputs get no gradient unless they require it.

    A JAX function, a Flax module or its `apply` is traced from the shapes of its arguments, which
    may be `jax.ShapeDtypeStruct`; gradients are for its first argument, of variables for those
    under "params", of an nnx module for its `nnx.Param`. Nothing of it runs, so that "auto" and
    "fake" are the same, and "real" is an error.

    A path is that of an ONNX file, which needs no framework; `dims` gives the sizes that it leaves
    open: `lt.count("model.onnx", dims={"batch": 8})`.
    """
    from .framework import framework_told, frameworks_named, holds_numpy, stops_jax

    if isinstance(model, str | os.PathLike):
        if inputs or kwargs or backward or loss is not None:
            raise TypeError("an ONNX file is counted without inputs and backward: give dims only")
        from . import files

        return files.count(model, dims)
    if dims is not None:
        raise TypeError("dims goes with the path of an ONNX file")
    if mode not in ("auto", "fake", "real"):
        raise ValueError(f"mode is 'auto', 'fake' or 'real', not {mode!r}")
    if loss is not None and not callable(loss):
        raise TypeError(f"loss is a function of the output, not {type(loss).__name__}")
    if loss is not None and not backward:
        raise ValueError("loss= says where the backward begins: give backward=True too")
    keywords = dict(kwargs or {})
    call = (model, inputs, keywords)
    told = framework_told(*call)
    if told is not None:
        return _count(told, call, mode, backward, loss)
    # By its names it is of one framework or of several: it is of the one whose operations it runs.
    counts: OpCounts | None = None
    names = frameworks_named(model) or [name for name in ("torch",) if name in sys.modules]
    for at, name in enumerate(names):
        with stops_jax(name == "torch" and "jax" in names[at:]) as ran_jax:
            counts = _count(name, call, mode, backward, loss)
        if not ran_jax and counts is not None and counts.by_op:
            return counts
    if not callable(model):
        raise TypeError(f"a model or function was expected, not {type(model).__name__}")
    raise TypeError(_nothing_ran(model, names, counts is not None, holds_numpy(inputs, keywords)))


def _nothing_ran(model: Any, names: Sequence[str], was_run: bool, has_numpy: bool) -> str:
    """Why there is nothing to count, and what to give instead."""
    from .framework import TITLES

    is_jax = ""
    if "jax" in sys.modules and "jax" not in names:
        is_jax = "if it is a JAX function, give it jax.numpy arrays, or give jax.jit(it)"
    if not was_run:
        said = f"a model or function of a framework that is imported was expected, not {model!r}"
        return f"{said}: {is_jax}" if is_jax else said
    ran = f"nothing was counted: {model!r} runs no operation of " + " or ".join(
        TITLES[name] for name in names
    )
    if has_numpy:
        return f"{ran} on the NumPy arrays that it is given: give it tensors or jax.numpy arrays"
    said = f"{ran}: give its inputs after it, lt.count(function, *inputs)"
    return f"{said}; {is_jax}" if is_jax else said


def _count(
    name: str,
    call: tuple[Any, Sequence[Any], Mapping[str, Any]],
    mode: str,
    backward: bool,
    loss: Callable[[Any], Any] | None,
) -> OpCounts:
    """Counts a call with the framework of this name: what runs for it is no part of a training."""
    was_unseen = set_unseen(True)
    try:
        return _counted(name, call, mode, backward, loss)
    finally:
        set_unseen(was_unseen)


def _counted(
    name: str,
    call: tuple[Any, Sequence[Any], Mapping[str, Any]],
    mode: str,
    backward: bool,
    loss: Callable[[Any], Any] | None,
) -> OpCounts:
    if name == "torch":
        from . import batches, torch

        try:
            return torch.count(*call, backward=backward, loss=loss, mode=mode)
        except (AttributeError, TypeError, ValueError) as error:
            instead = batches.way_out(*call)
            if instead is None:
                raise
            raise TypeError(f"{error}; {instead}") from error
    if mode == "real":
        raise ValueError("a JAX function is always counted from shapes, leave mode= out")
    from ..world import World
    from . import jax

    model, inputs, keywords = call
    world = World()
    world.state.reach([("", model), ("", list(inputs)), ("", keywords), ("", loss)])
    return world.run(
        lambda: jax.count(model, inputs, keywords, backward=backward, loss=loss)
    )._warned(world.state.failed())


def no_weights() -> AbstractContextManager[Any]:
    """Within it, PyTorch models are built with shapes and without memory, for `lt.count`."""
    from .torch.weights import no_weights

    return no_weights()


def register_formula(operator: Any, formula: Callable[[OpCall], Mapping[str, int]] | None) -> None:
    """Counts an operator by a formula of the user's; by Laptime's own again with `None`.

    The operator is its name (`"mylib::gemm"`, `"triton::kernel"`) or the operator itself, from
    `torch.ops`. The formula gets the call and returns its columns: `{"mac": m * n * k}`. Bytes
    that it doesn't name are those of each tensor, once.
    """
    if formula is not None and not callable(formula):
        raise TypeError(f"a formula is a function, not {type(formula).__name__}")
    _register(_name(operator), formula)


def _name(operator: Any) -> str:
    """`namespace::name` of an operator, its overload left aside."""
    if isinstance(operator, str):
        return operator if "::" in operator else f"aten::{operator}"
    # An overload, a packet of overloads, and what `torch.library.custom_op` returns.
    for found in (
        getattr(getattr(operator, "_schema", None), "name", None),
        getattr(operator, "_qualified_op_name", None),
        getattr(operator, "_qualname", None),
    ):
        if isinstance(found, str):
            return found
    kernel = getattr(operator, "fn", operator)  # what `triton.autotune` holds
    name = getattr(kernel, "__name__", None)
    if type(operator).__module__.startswith("triton") and isinstance(name, str):
        return f"triton::{name}"
    raise TypeError(f"an operator or its name was expected, not {operator!r}")
