"""Puts everything back as it was: modules, optimizers, gradients, random numbers, switches."""

from __future__ import annotations

import collections
import contextlib
import random
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import torch

from .fakes import Stage

_CONTAINERS = (dict, list, set, collections.OrderedDict, collections.defaultdict)


class Saved:
    """The attributes of an object, and what its containers hold."""

    def __init__(self, owner: Any) -> None:
        self._attributes: dict[str, Any] = owner.__dict__
        self._before = dict(self._attributes)
        self._containers = [
            (value, value.copy())
            for value in self._before.values()
            if type(value) in _CONTAINERS and value
        ]
        self._empty = [
            value for value in self._before.values() if type(value) in _CONTAINERS and not value
        ]

    def restore(self) -> None:
        """Puts them back, into the same containers."""
        for container in self._empty:
            if container:
                container.clear()
        for container, before in self._containers:
            if isinstance(container, list):
                container[:] = before
            else:
                container.clear()
                container.update(before)
        self._attributes.clear()
        self._attributes.update(self._before)


@contextlib.contextmanager
def stands_in(
    modules: Iterable[torch.nn.Module],
    optimizers: Iterable[torch.optim.Optimizer],
    loose: Iterable[torch.Tensor],
    stage: Stage,
) -> Iterator[None]:
    """Within it, modules and optimizers hold stand-ins for their tensors."""
    optimizers = list(optimizers)
    stage.is_written = bool(optimizers)
    all_modules = list(dict.fromkeys(found for module in modules for found in module.modules()))
    with contextlib.ExitStack() as undo:
        for module in all_modules:
            if isinstance(module, torch.jit.ScriptModule):
                _keep_values(undo, module)
                continue
            undo.callback(Saved(module).restore)
            _replace(module, stage, undo)
        for optimizer in optimizers:
            _replace_optimizer(undo, optimizer, stage)
        for tensor in loose:
            _keep_grad(undo, tensor)
        yield


def _replace(module: torch.nn.Module, stage: Stage, undo: contextlib.ExitStack) -> None:
    parameters, buffers = module._parameters, module._buffers
    for name, parameter in parameters.items():
        if parameter is not None:
            made = stage.stand_in(parameter)
            if made is parameter:
                _keep_grad(undo, parameter)
            parameters[name] = made  # type: ignore[assignment]
    for name, buffer in buffers.items():
        if buffer is not None:
            asked_for = stage.fake_mode is None or not buffer.dtype.is_floating_point
            buffers[name] = stage.stand_in(buffer, keep_values=asked_for)


def _keep_grad(undo: contextlib.ExitStack, tensor: torch.Tensor) -> None:
    if not (tensor.is_leaf and tensor.requires_grad):
        return
    before = tensor.grad

    def restore() -> None:
        tensor.grad = before

    tensor.grad = None
    undo.callback(restore)


def _keep_values(undo: contextlib.ExitStack, module: torch.nn.Module) -> None:
    """Of a scripted module, whose tensors can't be replaced."""
    for parameter in module.parameters(recurse=False):
        _keep_grad(undo, parameter)
    for buffer in module.buffers(recurse=False):
        undo.callback(_write_back(buffer, buffer.detach().clone()))


def _write_back(tensor: torch.Tensor, before: torch.Tensor) -> Callable[[], None]:
    def restore() -> None:
        with torch.no_grad():
            tensor.copy_(before)

    return restore


def _replace_optimizer(
    undo: contextlib.ExitStack, optimizer: torch.optim.Optimizer, stage: Stage
) -> None:
    groups = [dict(group) for group in optimizer.param_groups]
    for group in groups:
        group["params"] = [_leaf(undo, parameter, stage) for parameter in group["params"]]
    state: Any = collections.defaultdict(dict)
    for parameter, values in optimizer.state.items():
        state[stage.stand_in(parameter)] = {
            name: stage.stand_in(value, keep_values=True) if _is_tensor(value) else value
            for name, value in values.items()
        }
    undo.callback(Saved(optimizer).restore)
    optimizer.param_groups = groups
    optimizer.state = state


def _leaf(undo: contextlib.ExitStack, parameter: torch.Tensor, stage: Stage) -> torch.Tensor:
    made = stage.stand_in(parameter)
    if made is parameter:
        _keep_grad(undo, parameter)
    return made


def _is_tensor(value: Any) -> bool:
    return isinstance(value, torch.Tensor)


@contextlib.contextmanager
def undisturbed() -> Iterator[None]:
    """Within it random numbers and switches may change; they are put back."""
    numpy: Any = sys.modules.get("numpy")
    python_state = random.getstate()
    numpy_state = numpy.random.get_state() if numpy is not None else None
    cuda = list(range(torch.cuda.device_count())) if torch.cuda.is_initialized() else []
    mha: Any = torch.backends.mha
    fast_path = mha.get_fastpath_enabled()
    try:
        with torch.random.fork_rng(devices=cuda), _eager():
            mha.set_fastpath_enabled(False)
            yield
    finally:
        mha.set_fastpath_enabled(fast_path)
        random.setstate(python_state)
        if numpy is not None:
            numpy.random.set_state(numpy_state)
        torch.clear_autocast_cache()


def _eager() -> contextlib.AbstractContextManager[Any]:
    """Compiled functions run as they were written. Imports no compiler that isn't there."""
    if "torch._dynamo" not in sys.modules:
        return contextlib.nullcontext()
    return torch.compiler.set_stance("force_eager")
