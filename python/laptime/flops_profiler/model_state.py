"""Leaves a model as it was when it is run for time: tensors, attributes, modes and random numbers.

Buffers are compared with a copy afterwards. Parameters are too many to copy: those that an
operator is about to write to are copied just before, in a run of its own.
"""

from __future__ import annotations

import copy
import math
from typing import Any

import torch
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode

from ..world.tensors import TensorWorld


class Kept(TensorWorld):
    """Within it a model may run, again and again; it is put back afterwards."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__(math.inf)
        self.state.reach([("", model)])
        for buffer in model.buffers():
            self.contents.keep(buffer, "")
        self._parameters = {
            key: parameter
            for parameter in model.parameters()
            if (key := _storage(parameter)) is not None
        }

    def noticing(self) -> TorchDispatchMode:
        """Within it, parameters are copied before an operator writes to them."""
        return _Noticing(self)

    def before_write(self, tensor: torch.Tensor) -> None:
        """Copies the parameter that a tensor is, or is a view of."""
        parameter = self._parameters.pop(_storage(tensor), None)
        if parameter is not None:
            self.contents.keep(parameter, "")


class _Noticing(TorchDispatchMode):
    supports_higher_order_operators = True

    def __init__(self, kept: Kept) -> None:
        super().__init__()
        self._kept = kept

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        schema = getattr(function, "_schema", None)
        if schema is not None and schema.is_mutable:
            named = dict(zip((argument.name for argument in schema.arguments), args), **kwargs)
            for argument in schema.arguments:
                if argument.alias_info is not None and argument.alias_info.is_write:
                    for value in _pytree.tree_leaves(named.get(argument.name)):
                        if isinstance(value, torch.Tensor):
                            self._kept.before_write(value)
        return function(*args, **kwargs)


def fresh(values: Any) -> Any:
    """A copy of a call's arguments: a call may write to them, or make a cache in them grow."""
    return _pytree.tree_map(_fresh, values)


def _fresh(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.detach().clone()
    if isinstance(value, torch.Generator) and hasattr(value, "clone_state"):
        return value.clone_state()
    if callable(value):  # a model, a function: what it holds is not the call's own
        return value
    try:
        return copy.deepcopy(value)
    except Exception:
        return value


def _storage(tensor: torch.Tensor) -> Any:
    """Who owns a tensor's values; nobody, where a class of tensors keeps them in others."""
    try:
        return tensor.untyped_storage()._cdata
    except (RuntimeError, NotImplementedError):
        return None
