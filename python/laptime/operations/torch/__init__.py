"""Counts PyTorch: what its dispatcher runs, on fake tensors unless that can't be.

`calls` has the run itself. `reach` finds what the call holds, `stage` makes stand-ins for its
tensors and `handles` exchanges them; `mode` sees every operator, `places` the modules, and `world`
knows what else is to be put back.
"""

from __future__ import annotations

import os
import sysconfig
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch

from ..._core import LaptimeError, OpCounts, raised_by_handler
from .calls import Call
from .copies import HasNoMemory
from .fakes import NeedsValues
from .stage import WouldWrite
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
    call = Call(model, tuple(inputs), dict(kwargs), backward=backward, loss=loss, ranks=ranks)
    if mode == "real":
        return _on_real_tensors(call)
    try:
        return call.run(fake=True)
    except Exception as error:
        is_final = isinstance(error, LaptimeError) and not isinstance(error, HasNoMemory)
        if is_final or raised_by_handler(error, own=False):
            raise
        needs_values = call.refused or _needs_values(error)
        if mode == "fake" or call.without:
            if not needs_values:
                raise
            way_out = (
                "build the model with its weights, and give lt.count real inputs"
                if call.without
                else "pass mode='real', or mode='auto' for trying"
            )
            raise LaptimeError(
                f"fake tensors have no values, and the model asks for them: {_reason(error)}; "
                f"{way_out}"
            ) from error
        reason = _reason(error)
    # Shape errors come again here, in the words of the framework's own kernels.
    return _on_real_tensors(call, reason)


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
        isinstance(error, (NeedsValues, HasNoMemory, *known))
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
    if what.startswith("aten._local_scalar_dense"):
        reason = "a tensor is made a number, by .item(), float(), int(), bool() or if"
    else:
        reason = f"{type(error).__name__}: {what}" if what else type(error).__name__
    return reason + _place(error)


def _place(error: Exception) -> str:
    """The line of the program that an error came from: the innermost outside of libraries."""
    libraries = tuple({sysconfig.get_path(name) for name in ("stdlib", "purelib", "platlib")})
    own = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        file = frame.f_code.co_filename
        if not file.startswith((*libraries, own, "<frozen")):
            place = f", in {os.path.basename(file)}, line {line}"
    return place


__all__ = ["count", "torch"]
