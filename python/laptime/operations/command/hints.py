"""The way out where a model raised: what was typed, put so that this model takes it."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .request import Input, Request

#: What a lookup of numbers in a table says of numbers that are not whole.
_WHOLE = re.compile(r"argument #1 'indices' to have one of|tensors used as indices must be")
#: What comes of asking a tensor for a name.
_NAMED = re.compile(
    r"invalid data type 'str'|got str\b|'(Fake)?Tensor' object has no attribute "
    r"'(keys|items|values|get)'"
)


def way_out(
    error: Exception,
    model: Any,
    arguments: Sequence[Any],
    keywords: Mapping[str, Any],
    request: Request,
) -> str | None:
    """What to type instead, where the model and its error tell."""
    message = str(error)
    if _WHOLE.search(message):
        found = next((text for text in _typed(request) if ":" not in text), None)
        return found and f"tokens and other indices are whole numbers: write {found}:int64"
    if _NAMED.search(message):
        return (
            "the model takes a mapping, which no option writes: count a function of your own, "
            'such as def call(x): return model({"x": x}); or in Python: '
            'lt.count(model, {"x": tensor})'
        )
    if isinstance(error, TypeError):
        found = _by_name(model, arguments, keywords, request)
        if found is not None:
            return found
    if isinstance(error, TypeError) and inspect.isfunction(model):
        takes = ", ".join(inspect.signature(model).parameters)
        return (
            f"{model.__name__} takes {takes}, so Laptime took it for the model and called it with "
            "the inputs. If it makes the model, name a function of yours without parameters that "
            "calls it"
        )
    return _with_batch(model, request)


def _typed(request: Request) -> Iterator[str]:
    """The options as they were typed."""
    yield from (f"--input {_sizes(one)}" for one in request.inputs)
    yield from (f"--kwarg {one.label}={_sizes(one)}" for one in request.kwargs)


def _sizes(one: Input) -> str:
    sizes = ",".join(map(str, one.sizes)) or "scalar"
    return f"{sizes}:{one.dtype}" if one.dtype else sizes


def _by_name(
    model: Any, arguments: Sequence[Any], keywords: Mapping[str, Any], request: Request
) -> str | None:
    """What a model takes, where that is not what it was called with."""
    try:
        signature = inspect.signature(getattr(model, "forward", model))
    except (TypeError, ValueError):
        return None
    try:
        signature.bind(*arguments, **keywords)
        return None
    except TypeError:
        pass
    takes = [one for one in signature.parameters.values() if one.name != "self"]
    by_order = [
        one for one in takes if one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD)
    ]
    rest = [one for one in takes if one not in by_order[: len(arguments)]]
    missing = [one.name for one in rest if one.default is one.empty and one.name not in keywords]
    missing = [name for name in missing if name not in ("args", "kwargs")]
    listed = ", ".join(one.name for one in takes) or "nothing"
    name = model.__name__ if inspect.isfunction(model) else type(model).__name__
    said = f"{name} takes {listed}"
    if not missing:
        return said
    # What was given by order, and goes by name only.
    spare = request.inputs[len(by_order) :]
    sizes = [_sizes(one) for one in spare] + ["SIZES"] * len(missing)
    options = [f"--kwarg {name}={size}" for name, size in zip(missing, sizes)]
    return f"{said}: add {' '.join(options)}" if not spare else f"{said}: write {' '.join(options)}"


def _with_batch(model: Any, request: Request) -> str | None:
    """The input with a batch, where one was typed without it for a model of images or sound."""
    torch = sys.modules.get("torch")
    if torch is None or not isinstance(model, torch.nn.Module):
        return None
    kinds = {torch.nn.Conv1d: 1, torch.nn.Conv2d: 2, torch.nn.Conv3d: 3}
    first = next((one for one in model.modules() if type(one) in kinds), None)
    if first is None:
        return None
    for one in request.inputs:
        if len(one.sizes) == kinds[type(first)] + 1 and one.sizes[0] == first.in_channels:
            batched = Input([1, *one.sizes], one.dtype)
            return f"the batch is missing, it comes first: write --input {_sizes(batched)}"
    return None
