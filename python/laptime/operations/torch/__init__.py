"""Counts PyTorch: what its dispatcher runs, on fake tensors unless that can't be.

`calls` has the run itself, `mode` sees every operator, `places` the modules, `world` puts
everything back as it was, `fakes` makes stand-ins for tensors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ..._core import LaptimeError, OpCounts, raised_by_handler
from .calls import Call, Target
from .fakes import NeedsValues, Stage, lacks_values
from .unwrap import unwrap


def count(
    model: Any,
    inputs: Sequence[Any],
    kwargs: Mapping[str, Any],
    *,
    backward: bool,
    loss: Callable[[Any], Any] | None,
    mode: str,
) -> OpCounts:
    """Counts one call."""
    model, ranks = unwrap(model)
    if not callable(model):
        raise TypeError(f"a model or function was expected, not {type(model).__name__}")
    target = Target(model, tuple(inputs), dict(kwargs))
    call = Call(target, backward=backward, loss=loss, ranks=ranks)
    without = lacks_values(target.tensors())
    if mode == "real":
        if without:
            raise LaptimeError(
                f"{without} has a shape and no values, so it can't be run for real: "
                "leave mode='real' out, or build the model with its weights"
            )
        return call.run(Stage.real())
    try:
        return call.run(Stage.fake(target.tensors()))
    except Exception as error:
        if raised_by_handler(error, own=False):
            raise
        needs_values = _needs_values(error)
        if mode == "fake" or without:
            if not needs_values:
                raise
            way_out = (
                "build the model with its weights, and give lt.count real inputs"
                if without
                else "pass mode='real', or mode='auto' for trying"
            )
            raise LaptimeError(
                f"fake tensors have no values, and the model asks for them: {_reason(error)}; "
                f"{way_out}"
            ) from error
        reason = _reason(error)
    # Shape errors come again here, in the words of the framework's own kernels.
    counts = call.run(Stage.real(), why=reason)
    return counts


def _needs_values(error: Exception) -> bool:
    from torch._subclasses import fake_tensor

    names = (
        "DataDependentOutputException",
        "DynamicOutputShapeException",
        "UnsupportedFakeTensorException",
        "UnsupportedOperatorException",
    )
    known = tuple(kind for name in names if (kind := getattr(fake_tensor, name, None)))
    if (
        isinstance(error, (NeedsValues, *known))
        or type(error).__name__ == "GuardOnDataDependentSymNode"
    ):
        return True
    text = str(error)
    return any(part in text for part in ("FakeTensor", "data pointer", "tensor subclasses"))


def _reason(error: Exception) -> str:
    """What failed, in a line."""
    function = getattr(error, "func", None)
    if isinstance(error, NeedsValues):
        return str(error)
    what = str(function) if function is not None else str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {what}" if what else type(error).__name__


__all__ = ["count", "torch"]
