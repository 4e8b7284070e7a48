"""Lazy modules: their parameters have no sizes until a first call tells them.

A count leaves a model as it was, so it makes no such call by itself: `refuse` says what to do.
The command owns what it counts: `settle` calls it, on the meta device if it has no weights.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import torch
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.nn.parameter import UninitializedBuffer, UninitializedParameter, is_lazy
from torch.utils import _pytree as pytree

from ..._core import LaptimeError


def open_size(model: torch.nn.Module) -> str | None:
    """The first parameter or buffer that has no size, and its module's class."""
    for path, module in model.named_modules():
        for name, tensor in (*module._parameters.items(), *module._buffers.items()):
            if tensor is not None and is_lazy(tensor):
                return f"{path}.{name} ({type(module).__name__})".removeprefix(".")
    return None


def refuse(models: Iterable[torch.nn.Module]) -> None:
    """Raises where a model has parameters without sizes."""
    for model in models:
        found = open_size(model)
        if found is not None:
            raise LaptimeError(
                f"{found} has no size before the model's first call: "
                "call it once, model(x), then count it"
            )


def settle(model: torch.nn.Module, inputs: Iterable[Any], kwargs: Mapping[str, Any]) -> None:
    """Calls a model once, so that all its parameters have sizes; without memory if it has none."""
    is_weightless = any(tensor.is_meta for tensor in model.parameters())

    def placed(value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        if is_weightless:
            return value.to("meta")
        return torch.zeros_like(value, device="cpu") if value.is_meta else value

    inputs, kwargs = pytree.tree_map(placed, (tuple(inputs), dict(kwargs)))
    with torch.no_grad():
        (model.to("meta") if is_weightless else model)(*inputs, **kwargs)


@contextlib.contextmanager
def without_memory() -> Iterator[None]:
    """Within it, parameters without sizes are made on the meta device: fakes can't be such."""
    kinds: tuple[Any, ...] = (UninitializedParameter, UninitializedBuffer)
    before = {kind: kind.__dict__["__new__"] for kind in kinds}

    def made(new: Any) -> Any:
        def __new__(cls: type, *arguments: Any, **keywords: Any) -> Any:
            with unset_fake_temporarily(), torch.device("meta"):
                return new.__func__(cls, *arguments, **keywords)

        return __new__

    for kind in kinds:
        kind.__new__ = made(before[kind])
    try:
        yield
    finally:
        for kind in kinds:
            kind.__new__ = before[kind]
