"""Counts that leave a trace, each another one: what the proof must see.

Each is called as `lt.count` is, with the step of a program whose step is a method: what it lives
from are attributes of `step.__self__`.
"""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from .part import Part
from .recipe import named


def parts() -> dict[str, Part]:
    """A program with something of every kind."""
    return named(
        layer="BatchNorm",
        rest="attribute",
        optimizer="momentum",
        metric="defaultdict of lists",
        cache="dict by shape",
        randomness="generator of one's own",
        hook="forward hook that writes outside",
        data="generator",
        twist="counter as a global",
    )


_DIRTY: dict[str, Callable[[Any], Any]] = {
    "advances torch's random numbers": lambda it: torch.rand(1),
    "advances Python's random numbers": lambda it: random.random(),
    "advances NumPy's random numbers": lambda it: np.random.rand(),
    "advances the program's generator": lambda it: torch.rand(1, generator=it.generator),
    "leaves a fake tensor in an attribute": lambda it: it.net.__dict__.update(kept=_fake()),
    "leaves a fake tensor as a gradient": lambda it: setattr(_first(it), "grad", _fake()),
    "leaves a fake tensor in a cache": lambda it: it.net.tables.update(new=_fake()),
    "flips training": lambda it: it.net.eval(),
    "flips training of a part": lambda it: it.net.norm.eval(),
    "adds a key to the optimizer's state": lambda it: it.opt.state[_first(it)].update(step=1),
    "adds a parameter to the optimizer's state": lambda it: it.opt.state[torch.zeros(1)],
    "appends to a list": lambda it: it.by_name["loss"].append(0.0),
    "reads a key of a defaultdict": lambda it: it.by_name["absent"],
    "reorders a dict": lambda it: it.by_name.update(loss=it.by_name.pop("loss")),
    "replaces a list by an equal one": lambda it: it.by_name.update(loss=it.by_name["loss"][:]),
    "drops gradients": lambda it: it.net.zero_grad(),
    "zeroes a gradient": lambda it: _first(it).grad.zero_(),
    "replaces a gradient by an equal one": lambda it: setattr(
        _first(it), "grad", _first(it).grad.clone()
    ),
    "moves a weight a little": lambda it: _first(it).data.mul_(1 + 2e-7),
    "swaps zero's sign": lambda it: it.net.norm.bias.data.copy_(-torch.zeros(8)),
    "replaces a parameter by an equal one": lambda it: _equal_parameter(it),
    "replaces a parameter's memory": lambda it: setattr(
        _first(it), "data", _first(it).data.clone()
    ),
    "changes a buffer": lambda it: it.net.norm.running_mean.add_(1e-7),
    "changes a buffer's type": lambda it: setattr(
        it.net.norm, "num_batches_tracked", it.net.norm.num_batches_tracked.int()
    ),
    "freezes a parameter": lambda it: _first(it).requires_grad_(False),
    "adds an attribute": lambda it: setattr(it.net, "seen", None),
    "adds an attribute to a tensor": lambda it: setattr(_first(it), "seen", 1),
    "removes an attribute": lambda it: delattr(it.net, "tables"),
    "leaves a hook of a module": lambda it: it.net.register_forward_hook(lambda *_: None),
    "leaves a hook of a tensor": lambda it: _first(it).register_hook(lambda grad: None),
    "registers a hook anew": lambda it: _anew(it.net._forward_hooks),
    "changes the rate": lambda it: it.opt.param_groups[0].update(lr=0.050000001),
    "replaces the optimizer": lambda it: setattr(it, "opt", torch.optim.SGD(it.net.parameters())),
    "counts a global": lambda it: _globals(it).update(STEPS=_globals(it)["STEPS"] + 1),
    "takes from a generator": lambda it: next(it.feed),
    "changes what is passed": lambda it: it.feed.gi_frame.f_locals["batches"][1][0].add_(1),
    "leaves gradients off": lambda it: torch.set_grad_enabled(False),
    "leaves another default type": lambda it: torch.set_default_dtype(torch.float64),
    "leaves the fast path off": lambda it: torch.backends.mha.set_fastpath_enabled(False),
    "leaves autocast's cache off": lambda it: torch.set_autocast_cache_enabled(False),
    "leaves a patched function": lambda it: setattr(torch.Tensor, "item", _item),
    "leaves a hook of all modules": lambda it: _everywhere(),
    "leaves a thread": lambda it: threading.Thread(
        target=threading.Event().wait, daemon=True, name="left"
    ).start(),
    "ends as the step would": lambda it: it.step(),
}


def _first(it: Any) -> torch.nn.Parameter:
    return next(it.net.parameters())


def _fake() -> torch.Tensor:
    with FakeTensorMode():
        return torch.zeros(8, 6)


def _equal_parameter(it: Any) -> None:
    was = it.net.body.weight
    it.net.body.weight = torch.nn.Parameter(was.detach().clone())
    it.net.body.weight.grad = was.grad


def _anew(hooks: dict[int, Any]) -> None:
    key, hook = hooks.popitem()
    hooks[key + 1] = hook


def _globals(it: Any) -> dict[str, Any]:
    return type(it).step.__globals__


def _item(tensor: torch.Tensor) -> Any:
    return tensor.tolist()


def _everywhere() -> None:
    torch.nn.modules.module.register_module_forward_hook(lambda *_: None)


NAMES = tuple(_DIRTY)


def count(name: str) -> Callable[..., None]:
    """The count that leaves the trace of that name."""

    def count(step: Any, *arguments: Any, mode: str) -> None:
        _DIRTY[name](step.__self__)

    return count


def cleaned() -> Callable[[], None]:
    """Answers with what puts back what these counts change of the whole process."""
    item = torch.Tensor.__dict__.get("item")
    hooks = dict(torch.nn.modules.module._global_forward_hooks)

    def clean() -> None:
        torch.set_grad_enabled(True)
        torch.set_default_dtype(torch.float32)
        torch.set_autocast_cache_enabled(True)
        torch.backends.mha.set_fastpath_enabled(True)
        if item is None and "item" in torch.Tensor.__dict__:
            del torch.Tensor.item
        torch.nn.modules.module._global_forward_hooks.clear()
        torch.nn.modules.module._global_forward_hooks.update(hooks)

    return clean
