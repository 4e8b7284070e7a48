"""Which module runs: where modules stand, what they hold, and when they are called."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch.nn.parameter import UninitializedParameter
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from .mode import Counting


def know(mode: Counting, roots: Mapping[str, torch.nn.Module]) -> int | None:
    """Tells the mode every module's paths; how many parameters there are, each once."""
    if not roots:
        return None
    everything: set[int] = set()
    total = 0
    for root, module in roots.items():
        own, _ = _params(module, {})
        for path, found in module.named_modules(prefix=root, remove_duplicate=False):
            if "_orig_mod" not in found._modules:  # what `torch.compile` put around it
                path = ".".join(name for name in path.split(".") if name != "_orig_mod")
                mode.know(found, path, type(found).__name__, own[id(found)][0])
        for identity, size in own[id(module)][1].items():
            if identity not in everything:
                everything.add(identity)
                total += size
    return total


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


@contextlib.contextmanager
def followed(mode: Counting) -> Iterator[None]:
    """Within it, the mode hears of modules that are called, gradients and optimizer steps."""
    enter, leave = mode.enter, mode.leave
    call: Callable[..., Any] = torch.nn.Module.__call__

    def __call__(module: Any, *arguments: Any, **keywords: Any) -> Any:
        enter(module)
        try:
            return call(module, *arguments, **keywords)
        finally:
            leave()

    engine: Any = torch.autograd
    compute: Callable[..., Any] = engine._engine_run_backward

    def run_backward(outputs: Any, *arguments: Any, **keywords: Any) -> Any:
        # Its third argument: whether gradients of the gradients are wanted.
        create_graph = arguments[2] if len(arguments) > 2 else keywords.get("create_graph")
        before = mode.set_records(bool(create_graph))
        try:
            return compute(outputs, *arguments, **keywords)
        finally:
            mode.set_records(before)

    def step_begins(*_: Any) -> None:
        mode.in_optimizer = True
        mode.set_phase("optimizer")

    def step_ends(*_: Any) -> None:
        mode.in_optimizer = False
        mode.set_phase(None)

    module_class: Any = torch.nn.Module
    begins = register_optimizer_step_pre_hook(step_begins)
    ends = register_optimizer_step_post_hook(step_ends)
    module_class.__call__ = __call__
    engine._engine_run_backward = run_backward
    try:
        yield
    finally:
        engine._engine_run_backward = compute
        module_class.__call__ = call
        ends.remove()
        begins.remove()
