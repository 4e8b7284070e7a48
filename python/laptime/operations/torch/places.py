"""Which module runs: where modules stand, what they hold, and when they are called."""

from __future__ import annotations

from collections.abc import Callable
from threading import get_ident
from typing import Any

import torch
from torch.nn.parameter import UninitializedParameter
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from ...world import Undo
from .mode import Counting
from .reach import Target


class Places:
    """The models that take part: those that the call names, and others as they are called."""

    def __init__(self, mode: Counting, target: Target) -> None:
        self._mode = mode
        self._target = target
        self._known: set[int] = set()
        self._counted: set[int] = set()
        self._elsewhere: set[int] = set()
        #: How many parameters there are, each once; `None` without a model.
        self.params: int | None = None
        names = list(target.named)
        for path, model in target.named.items():
            self._know(path if len(names) > 1 else "", model)

    def meet(self, owner: Any) -> None:
        """A module is about to be called, or an optimizer to step."""
        if id(owner) in self._known:
            return
        path = self._target.meet(owner)
        model = self._target.models.get(path) if path is not None else None
        if model is not None and isinstance(owner, torch.nn.Module):
            self._know(path or "", model)
        self._known.add(id(owner))

    def meet_elsewhere(self, module: Any) -> None:
        """A module is called in another thread."""
        if id(module) in self._known and id(module) not in self._elsewhere:
            self._elsewhere.add(id(module))
            if len(self._elsewhere) == 1:
                self._mode.feed.warn(
                    "other-thread",
                    f"another thread called {type(module).__name__} during the count: that call "
                    "isn't counted, and what it changes in the model stays",
                )

    def _know(self, root: str, model: torch.nn.Module) -> None:
        sizes = know(self._mode, root, model)
        self._known.update(map(id, model.modules()))
        fresh = {
            identity: size for identity, size in sizes.items() if identity not in self._counted
        }
        self._counted.update(fresh)
        self.params = (self.params or 0) + sum(fresh.values())


def know(mode: Counting, root: str, model: torch.nn.Module) -> dict[int, int]:
    """Tells the mode every module's paths; answers with the elements of each parameter."""
    own, sizes = _params(model, {})
    for path, found in model.named_modules(prefix=root, remove_duplicate=False):
        if "_orig_mod" not in found._modules:  # what `torch.compile` put around it
            path = ".".join(name for name in path.split(".") if name != "_orig_mod")
            mode.know(found, path, type(found).__name__, own[id(found)][0])
    return sizes


_Params = dict[int, tuple[int, dict[int, int]]]


def _params(module: torch.nn.Module, known: _Params) -> tuple[_Params, dict[int, int]]:
    """By module: elements of its parameters and of those below it, each once."""
    found = known.get(id(module))
    if found is not None:
        return known, found[1]
    sizes: dict[int, int] = {}
    for parameter in module._parameters.values():
        if parameter is not None and not isinstance(parameter, UninitializedParameter):
            sizes[id(parameter)] = parameter.numel()
    for child in module._modules.values():
        if child is not None:
            sizes.update(_params(child, known)[1])
    known[id(module)] = (sum(sizes.values()), sizes)
    return known, sizes


def follow(
    undo: Undo,
    mode: Counting,
    met: Callable[[Any], None] | None = None,
    elsewhere: Callable[[Any], None] | None = None,
) -> None:
    """Until the end, the mode hears of modules that are called, gradients and optimizer steps.

    `met` is told of each module and optimizer before it runs. Other threads are left alone, and
    `elsewhere` is told of the modules that they call.
    """
    mine = get_ident()
    enter, leave = mode.enter, mode.leave
    called = undo.layer(torch.nn.Module, "__call__")
    call = called.below

    def __call__(module: Any, *arguments: Any, **keywords: Any) -> Any:
        if not called.is_on:
            return call(module, *arguments, **keywords)
        if get_ident() != mine:
            if elsewhere is not None:
                elsewhere(module)
            return call(module, *arguments, **keywords)
        if met is not None:
            met(module)
        enter(module)
        try:
            return call(module, *arguments, **keywords)
        finally:
            leave()

    computed = undo.layer(torch.autograd, "_engine_run_backward")
    compute = computed.below

    def run_backward(outputs: Any, *arguments: Any, **keywords: Any) -> Any:
        if get_ident() != mine or not computed.is_on:
            return compute(outputs, *arguments, **keywords)
        # Its third argument: whether gradients of the gradients are wanted.
        create_graph = arguments[2] if len(arguments) > 2 else keywords.get("create_graph")
        before = mode.set_records(bool(create_graph))
        try:
            return compute(outputs, *arguments, **keywords)
        finally:
            mode.set_records(before)

    def step_begins(optimizer: Any, *_: Any) -> None:
        if get_ident() == mine:
            if met is not None:
                met(optimizer)
            mode.in_optimizer = True
            mode.set_phase("optimizer")

    def step_ends(*_: Any) -> None:
        if get_ident() == mine:
            mode.in_optimizer = False
            mode.set_phase(None)

    called.put(__call__)
    computed.put(run_backward)
    for hook in (
        register_optimizer_step_pre_hook(step_begins),
        register_optimizer_step_post_hook(step_ends),
    ):
        undo.undo.append(hook.remove)
