"""Tensors to call a model with: from what was typed, and back to sizes for the report."""

from __future__ import annotations

import contextlib
import contextvars
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .request import Failure, Input, Request

#: Stands for every token: a word of any vocabulary, and rarely the one that pads or ends.
TOKEN = 3
#: Whole numbers from which on they are shapes alone: no count keeps the values of so many.
MANY = 2**20


#: Whether numbers that are made here have values. What a model computes by invented values is no
#: answer, and they need memory: shapes are enough unless the model asks.
_HAVE_VALUES = contextvars.ContextVar("have_values", default=False)


@contextlib.contextmanager
def with_values() -> Iterator[None]:
    """Within it, tensors of numbers are zeros rather than shapes."""
    before = _HAVE_VALUES.set(True)
    try:
        yield
    finally:
        _HAVE_VALUES.reset(before)


def typed(request: Request) -> tuple[list[Any], dict[str, Any]]:
    """The arguments that were typed."""
    make = _jax if _is_jax() else tensor
    return [make(one) for one in request.inputs], {one.label: make(one) for one in request.kwargs}


def tensor(one: Input) -> Any:
    """A tensor of numbers, or of tokens where it holds integers."""
    import torch

    name = one.dtype or "float32"
    dtype = getattr(torch, name, None)
    if not isinstance(dtype, torch.dtype):
        raise Failure(
            f"{name} is no type of torch",
            "types are float32, float16, bfloat16, int64, bool, …",
            code=2,
        )
    is_number = dtype.is_floating_point or dtype.is_complex
    is_shape = (is_number or math.prod(one.sizes) > MANY) and not _HAVE_VALUES.get()
    made = torch.zeros(one.sizes, dtype=dtype, device="meta" if is_shape else "cpu")
    if dtype in (torch.int64, torch.int32) and not is_shape:
        made.fill_(TOKEN)
    return made


def _is_jax() -> bool:
    """Whether the program computes with JAX rather than with PyTorch."""
    import sys

    return "jax" in sys.modules and "torch" not in sys.modules


def _jax(one: Input) -> Any:
    import jax
    import jax.numpy as jnp

    name = one.dtype or "float32"
    try:
        dtype = jnp.dtype(name)
    except TypeError:
        raise Failure(f"{name} is no type of jax", code=2) from None
    return jax.ShapeDtypeStruct(tuple(one.sizes), dtype)


def described(
    arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> list[tuple[str, list[int], str]]:
    """Label, sizes and type of each."""
    found: list[tuple[str, list[int], str]] = []
    for label, value in [*(("", one) for one in arguments), *keywords.items()]:
        for one in _tensors(value):
            dtype = str(one.dtype).removeprefix("torch.")
            found.append((label, [int(size) for size in one.shape], dtype))
    return found


def _tensors(value: Any) -> Iterator[Any]:
    if hasattr(value, "shape") and hasattr(value, "dtype"):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _tensors(one)
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _tensors(one)
