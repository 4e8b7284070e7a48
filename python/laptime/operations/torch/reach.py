"""What a call can reach: the models, optimizers and tensors that it holds, and their names."""

from __future__ import annotations

import functools
import sys
from collections.abc import Iterator
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from ..._core import Taken, TorchDispatch
from ...world import World
from .wrapped_model import unwrap


class Arguments:
    """What a call is given. What stands in for an iterator of it is given instead."""

    def __init__(self, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self._names = list(kwargs)
        self._positional = len(inputs)
        values = (*inputs, *kwargs.values())
        self.held = {f"argument{index}": value for index, value in enumerate(values)}

    @property
    def inputs(self) -> tuple[Any, ...]:
        """Arguments without a name."""
        return tuple(self.held.values())[: self._positional]

    @property
    def kwargs(self) -> dict[str, Any]:
        """Arguments with a name."""
        return dict(zip(self._names, [*self.held.values()][self._positional :]))

    def used_up(self) -> list[str]:
        """Which are iterators that the call took of: nobody can put that back."""
        names = [str(index) for index in range(self._positional)] + self._names
        taken = zip(names, self.held.values())
        return [name for name, value in taken if isinstance(value, Taken) and value._owes]


class Target:
    """What is called, with what, and what that can reach."""

    def __init__(self, world: World, function: Any, arguments: Arguments) -> None:
        self.function = function
        self.inputs = arguments.inputs
        self.kwargs = arguments.kwargs
        everywhere = [("", it) for it in (*_EVERYWHERE, *_watchers())]
        world.state.reach([*_parts(function), ("", arguments.held), *everywhere])
        self._state = world.state
        #: Models by their paths, those that are not parts of others; nearest first.
        self.models: dict[str, torch.nn.Module] = {}
        self._models_found = self._tensors_found = 0
        self._within: dict[int, str] = {}
        self._reach_hooks()
        self._find_models()
        #: Models that the call names itself, and so tells of whether it calls them or not.
        self.named = {
            path: model
            for path, model in self.models.items()
            if model is function or "." not in path
        }

    def _reach_hooks(self) -> None:
        """Goes on through the hooks of tensors, which torch holds."""
        tensors = self._state.found(2)
        while tensors[self._tensors_found :]:
            fresh = [tensor for _, tensor in tensors[self._tensors_found :]]
            self._tensors_found = len(tensors)
            names = ("_backward_hooks", "_post_accumulate_grad_hooks")
            hooks = [getattr(tensor, name, None) for tensor in fresh for name in names]
            self._state.reach([("", it) for it in hooks if it is not None])
            tensors = self._state.found(2)

    def _find_models(self) -> None:
        """Sorts what was found since the last time."""
        found = self._state.found(0)
        for path, model in found[self._models_found :]:
            inner, _ = unwrap(model)
            if id(model) in self._within or not isinstance(inner, torch.nn.Module):
                continue
            path = path.replace("._modules.", ".")
            self.models[path] = inner
            for part in (*model.modules(), *inner.modules()):
                self._within.setdefault(id(part), path)
        self._models_found = len(found)

    def meet(self, owner: Any) -> str | None:
        """The path of the model that a module is in; what nobody had found is walked through."""
        if id(owner) not in self._within:
            self._state.reach([("", owner)])
            self._reach_hooks()
            self._find_models()
            if isinstance(owner, torch.nn.Module) and id(owner) not in self._within:
                self._within[id(owner)] = ""
        return self._within.get(id(owner))

    def name(self) -> str:
        """The class of a model, the name of a function."""
        function = self.function
        while isinstance(function, functools.partial):
            function = function.func
        return str(getattr(function, "__qualname__", type(function).__name__))

    def sizes(self) -> list[tuple[str, tuple[int, ...], str]]:
        """The tensors that are passed: label, sizes, type."""
        sizes: list[tuple[str, tuple[int, ...], str]] = []
        for path, leaf in pytree.tree_leaves_with_path((self.inputs, self.kwargs)):
            if isinstance(leaf, torch.Tensor) and not leaf.is_nested:
                # The place of an argument without a name says nothing beside its sizes.
                is_bare = len(path) == 2 and _key(path[0]) == 0
                label = "" if is_bare else ".".join(str(_key(entry)) for entry in path[1:])
                if all(isinstance(size, int) for size in leaf.shape):
                    sizes.append((label, tuple(leaf.shape), str(leaf.dtype).split(".")[-1]))
        return sizes

    def tensors(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Every tensor that is sure to take part, with a name for messages."""
        for model in self.named.values():
            for name, parameter in model.named_parameters():
                yield f"parameter {name}", parameter
            for name, buffer in model.named_buffers():
                yield f"buffer {name}", buffer
        for index, leaf in enumerate(pytree.tree_leaves((self.inputs, self.kwargs))):
            if isinstance(leaf, torch.Tensor):
                yield f"input {index}", leaf
        for path, tensor in self._state.found(2):
            if "." not in path:
                yield path, tensor

    def weights(self, *, buffers: bool) -> Iterator[int]:
        """Identities of parameters, and of averages that models keep."""
        for model in self.models.values():
            yield from map(id, model.parameters())
            if buffers:
                yield from (id(it) for it in model.buffers() if it.is_floating_point())

    def everything(self) -> list[torch.Tensor]:
        """Every tensor that was found."""
        return [tensor for _, tensor in self._state.found(2)]

    def writes(self) -> bool:
        """Whether weights are sure to be written: an optimizer was found."""
        return bool(self._state.found(1))

    def is_sharded(self) -> bool:
        """Whether `fully_shard` holds the memory of a model."""
        sharding: Any = sys.modules.get("torch.distributed.fsdp")
        kind = getattr(sharding, "FSDPModule", ())
        return any(isinstance(module, kind) for _, module in self._state.found(0))

    def scripted(self) -> Iterator[torch.jit.ScriptModule]:
        """Modules whose tensors nothing can stand in for."""
        for _, module in self._state.found(0):
            if isinstance(module, torch.jit.ScriptModule):
                yield module


#: Hooks that torch calls for each module.
_EVERYWHERE = [
    hooks
    for name, hooks in vars(torch.nn.modules.module).items()
    if name.startswith("_global_") and isinstance(hooks, dict)
]


def _watchers() -> list[dict[str, Any]]:
    """What the program's own dispatch modes hold: they see the count's operators, too."""
    modes = _get_current_dispatch_mode_stack()
    return [vars(it) for it in modes if not isinstance(it, (FakeTensorMode, TorchDispatch))]


def _parts(function: Any) -> list[tuple[str, Any]]:
    """A function, or what a partial one is made of."""
    parts: list[tuple[str, Any]] = []
    while isinstance(function, functools.partial):
        values = (*function.args, *function.keywords.values())
        parts += [(f"argument{index}", value) for index, value in enumerate(values)]
        parts.append(("", function.__dict__))
        function = function.func
    return [*parts, ("", function)]


def _key(entry: Any) -> Any:
    """An index, a key or an attribute's name, of a step on the way to a tensor."""
    names = ("idx", "key", "name")
    return next((getattr(entry, name) for name in names if hasattr(entry, name)), entry)
