"""Leaves a model as it was when it is run for time: tensors, attributes, modes and random numbers.

Buffers are compared with a copy afterwards. Parameters are too many to copy: those that an
operator is about to write to are copied just before, in a run of its own.
"""

from __future__ import annotations

import contextlib
import copy
import random
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import torch
from torch.utils import _pytree
from torch.utils._python_dispatch import TorchDispatchMode

from ..operations.surroundings import World

_AUTOGRAD: Any = torch.autograd


class Kept:
    """Within it a model may run, again and again; it is put back afterwards."""

    def __init__(self, model: torch.nn.Module) -> None:
        self._world = World()
        self._world.state.reach([("", model)])
        self._copies = [(buffer, buffer.detach().clone()) for buffer in model.buffers()]
        self._parameters = {
            key: parameter
            for parameter in model.parameters()
            if (key := _storage(parameter)) is not None
        }

    def __enter__(self) -> Kept:
        return self

    def __exit__(self, *_: object) -> None:
        self._world.state.restore()
        for tensor, before in self._copies:
            if not _is_same(tensor, before):
                # Whoever waits for a backward through it finds the values that he left there.
                with torch.no_grad(), _AUTOGRAD._unsafe_preserve_version_counter(tensor):
                    tensor.copy_(before)

    def noticing(self) -> TorchDispatchMode:
        """Within it, parameters are copied before an operator writes to them."""
        return _Noticing(self)

    def before_write(self, tensor: torch.Tensor) -> None:
        """Copies the parameter that a tensor is, or is a view of."""
        parameter = self._parameters.pop(_storage(tensor), None)
        if parameter is not None:
            self._copies.append((parameter, parameter.detach().clone()))


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


@contextlib.contextmanager
def evaluating(model: torch.nn.Module) -> Iterator[None]:
    """Evaluation mode without gradients; each module gets its own mode back."""
    before = [(module, module.training) for module in model.modules()]
    try:
        # Not by `eval()`: what a class of its own does there, nobody would undo.
        for module, _ in before:
            module.training = False
        with torch.no_grad():
            yield
    finally:
        for module, was_training in before:
            module.training = was_training


@contextlib.contextmanager
def same_random_numbers(devices: Sequence[Any]) -> Iterator[None]:
    """Random numbers may be drawn within it; the same ones come again afterwards."""
    numpy: Any = sys.modules.get("numpy")
    python_state = random.getstate()
    numpy_state = numpy.random.get_state() if numpy is not None else None
    kinds = {device.type for device in devices} or {"cuda"}
    try:
        with contextlib.ExitStack() as forks:
            for kind in kinds:
                used = [device.index or 0 for device in devices if device.type == kind]
                if kind == "mps":  # which has one state and no number
                    forks.callback(torch.mps.set_rng_state, torch.mps.get_rng_state())
                    used, kind = [], "cuda"
                forks.enter_context(torch.random.fork_rng(devices=used, device_type=kind))
            yield
    finally:
        random.setstate(python_state)
        if numpy is not None:
            numpy.random.set_state(numpy_state)


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


def _is_same(tensor: torch.Tensor, before: torch.Tensor) -> bool:
    try:
        return torch.equal(tensor, before)
    except (RuntimeError, NotImplementedError):  # a layout that can't be compared
        return False
