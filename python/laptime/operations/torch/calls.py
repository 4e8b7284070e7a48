"""The run that is counted: a call, its loss, its backward."""

from __future__ import annotations

import contextlib
import dis
import functools
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch.utils import _pytree as pytree

from ..._core import Feed, OpCounts
from .collective import reduce_gradients
from .fakes import Stage
from .mode import Counting
from .places import followed, know
from .unwrap import unwrap
from .world import stands_in, undisturbed


class Target:
    """What is called, with what, and the modules and optimizers that it can reach."""

    def __init__(self, function: Any, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        self.function = function
        self.inputs = inputs
        self.kwargs = kwargs
        self.roots: dict[str, torch.nn.Module] = {}
        self.optimizers: list[torch.optim.Optimizer] = []
        self.loose: list[tuple[str, torch.Tensor]] = []
        if isinstance(function, torch.nn.Module):
            self.roots[""] = function
        else:
            for name, value in _reached(function):
                self._reach(name, value)
            for index, value in enumerate((*inputs, *kwargs.values())):
                self._reach(f"argument{index}", value)
            if len(self.roots) == 1:
                self.roots = dict(zip([""], self.roots.values()))

    def _reach(self, name: str, value: Any) -> None:
        value, _ = unwrap(value)
        if isinstance(value, torch.nn.Module):
            if not any(value is known for known in self.roots.values()):
                self.roots[name] = value
        elif isinstance(value, torch.optim.Optimizer):
            self.optimizers.append(value)
        elif isinstance(value, torch.Tensor):
            self.loose.append((name, value))

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
                label = ".".join(str(_key(entry)) for entry in path[1:])
                if all(isinstance(size, int) for size in leaf.shape):
                    sizes.append((label, tuple(leaf.shape), str(leaf.dtype).split(".")[-1]))
        return sizes

    def tensors(self) -> Iterator[tuple[str, torch.Tensor]]:
        """Every tensor that is known to take part, with a name for messages."""
        for root in self.roots.values():
            for name, parameter in root.named_parameters():
                yield f"parameter {name}", parameter
            for name, buffer in root.named_buffers():
                yield f"buffer {name}", buffer
        for index, leaf in enumerate(pytree.tree_leaves((self.inputs, self.kwargs))):
            if isinstance(leaf, torch.Tensor):
                yield f"input {index}", leaf
        yield from self.loose


def _key(entry: Any) -> Any:
    """An index, a key or an attribute's name, of a step on the way to a tensor."""
    names = ("idx", "key", "name")
    return next((getattr(entry, name) for name in names if hasattr(entry, name)), entry)


def _reached(function: Any) -> Iterator[tuple[str, Any]]:
    """What a function holds: its cells, the globals that it names, what it is bound to."""
    if isinstance(function, functools.partial):
        for index, value in enumerate((*function.args, *function.keywords.values())):
            yield f"argument{index}", value
        yield from _reached(function.func)
        return
    owner = getattr(function, "__self__", None)
    if owner is not None:
        yield "self", owner
        for name, value in getattr(owner, "__dict__", {}).items():
            yield name, value
    function = getattr(function, "__func__", function)
    code = getattr(function, "__code__", None)
    if code is None:
        for name, value in getattr(function, "__dict__", {}).items():
            yield name, value
        return
    for name, cell in zip(code.co_freevars, getattr(function, "__closure__", None) or ()):
        with contextlib.suppress(ValueError):  # a cell that is empty yet
            yield name, cell.cell_contents
    names = getattr(function, "__globals__", {})
    for name in _globals(code):
        if name in names:
            yield name, names[name]


def _globals(code: types.CodeType) -> Iterator[str]:
    """The globals that a function and those inside it read."""
    for instruction in dis.get_instructions(code):
        if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _globals(constant)


class Call:
    """A call that is counted, once or on several stages."""

    def __init__(
        self,
        target: Target,
        *,
        backward: bool,
        loss: Callable[[Any], Any] | None,
        ranks: int,
    ) -> None:
        self.target = target
        self.backward = backward
        self.loss = loss
        self.ranks = ranks

    def run(self, stage: Stage, *, why: str | None = None) -> OpCounts:
        """Counts it. `why` it isn't run on fake tensors, if it was tried."""
        target = self.target
        feed = Feed()
        mode = Counting(feed, stage.fake_mode)
        if why is not None:
            feed.warn(
                "real-tensors",
                f"counted with real tensors, because fake ones did not do: {why}",
            )
        params = know(mode, target.roots)
        tensors = [tensor for _, tensor in target.loose]
        with undisturbed(), torch.inference_mode(False) if self.backward else _as_is():
            with stands_in(target.roots.values(), target.optimizers, tensors, stage):
                inputs, kwargs = pytree.tree_map(
                    lambda value: _input(value, stage), (target.inputs, target.kwargs)
                )
                with stage.entered(), mode, followed(mode):
                    if self.backward:
                        self._train(inputs, kwargs)
                    else:
                        target.function(*inputs, **kwargs)
        if self.backward and isinstance(target.function, torch.nn.Module):
            reduce_gradients(feed, list(target.function.parameters()), self.ranks)
        return feed.finish(params=params)._of(
            target.name(),
            inputs=target.sizes(),
            how=("on real tensors" if stage.fake_mode is None else "on fake tensors")
            + (", with its backward" if self.backward else ""),
        )

    def _train(self, inputs: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        with torch.enable_grad():
            output = self.target.function(*inputs, **kwargs)
            loss = self.loss(output) if self.loss is not None else default_loss(output)
        loss.backward()


def _input(value: Any, stage: Stage) -> Any:
    return stage.stand_in(value, keep_values=True) if isinstance(value, torch.Tensor) else value


def _as_is() -> contextlib.AbstractContextManager[Any]:
    return contextlib.nullcontext()


def default_loss(output: Any) -> torch.Tensor:
    """The output's `.loss`, else the sum of its floating tensors."""
    loss = output.get("loss") if isinstance(output, Mapping) else getattr(output, "loss", None)
    if isinstance(loss, torch.Tensor):
        return loss
    parts: list[torch.Tensor] = []
    for leaf in _tensors(output):
        if leaf.is_complex():
            parts.append(torch.view_as_real(leaf).sum())
        elif leaf.is_floating_point() and leaf.requires_grad:
            parts.append(leaf.sum())
    if not parts:
        raise TypeError(
            "the output has no floating tensor that leads back to a parameter: "
            "pass loss=, a function of the output"
        )
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _tensors(output: Any) -> Iterator[torch.Tensor]:
    if isinstance(output, torch.Tensor):
        yield output
    elif isinstance(output, Mapping):
        for value in output.values():
            yield from _tensors(value)
    elif isinstance(output, (tuple, list)):
        for value in output:
            yield from _tensors(value)
    elif hasattr(output, "__dataclass_fields__"):
        for name in output.__dataclass_fields__:
            yield from _tensors(getattr(output, name))
