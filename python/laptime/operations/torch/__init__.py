"""Counts PyTorch: what its dispatcher runs, on fake tensors unless that can't be.

`calls` has the run itself. `reach` finds what the call holds, `stage` makes stand-ins for its
tensors and `handles` exchanges them; `mode` sees every operator, `places` the modules, and `world`
knows what else is to be put back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ..._core import LaptimeError, OpCounts, raised_by_handler
from .calls import Call
from .copies import HasNoMemory
from .fakes import NeedsValues
from .stage import WouldWrite
from .values import needs_values, reason
from .wrapped_model import unwrap


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
    call = Call(model, tuple(inputs), dict(kwargs), backward=backward, loss=loss, ranks=ranks)
    if mode == "real":
        return _on_real_tensors(call)
    try:
        return call.run(fake=True)
    except Exception as error:
        is_final = isinstance(error, LaptimeError) and not isinstance(error, HasNoMemory)
        if is_final or raised_by_handler(error, own=False):
            raise
        by_values = call.refused or needs_values(error)
        if mode == "fake" or call.without:
            if not by_values:
                raise
            way_out = (
                "build the model with its weights, and give lt.count real inputs"
                if call.without
                else "pass mode='real', or mode='auto' for trying"
            )
            raise LaptimeError(
                f"fake tensors have no values, and the model asks for them: {reason(error)}; "
                f"{way_out}"
            ) from error
        why = reason(error)
    # Shape errors come again here, in the words of the framework's own kernels.
    return _on_real_tensors(call, why)


def _on_real_tensors(call: Call, why: str | None = None) -> OpCounts:
    """Counts a call on real tensors: on the program's memory while nobody writes to it."""
    try:
        return call.run(fake=False, why=why)
    except NeedsValues:
        raise LaptimeError(
            f"{call.without} has a shape and no values, so it can't be run for real: "
            "leave mode='real' out, or build the model with its weights"
        ) from None
    except Exception as error:
        if raised_by_handler(error, own=False) or not call.refused:
            raise
    try:
        return call.run(fake=False, copies=True, why=why)
    except WouldWrite as error:
        raise LaptimeError(
            f"this call can't be counted without changing your data: {error}; count the model alone"
        ) from None


__all__ = ["count", "torch"]
