"""Times a model's call in runs of its own, after warm-up: the whole call, and module by module.

The two take turns. In one, nothing is read but the clock before and after the call; in the other
the clock is read around each module's forward, which costs time, so its whole is not the latency.
"""

from __future__ import annotations

import copy
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.utils import _pytree

from ..._core import raised_by_handler, ticks_to_seconds
from ...benchmarks._undisturbed import lost_weights
from ...device.tensors import devices_of
from ...world.random_numbers import same_random_numbers
from ...world.tensors import TensorWorld
from .clock import read, timing_modules

#: Runs of either kind; an odd number has one in the middle.
_RUNS = 5
#: Seconds after which no further pair of runs begins: a user waits for a figure.
_PATIENCE_S = 10.0


@dataclass(frozen=True)
class Timing:
    """Seconds of a call and of its modules, and how they were got; or why there are none."""

    seconds: float | None = None
    #: By the identity of a module, of the run in the middle of those that read the clock there.
    by_module: Mapping[int, float] = field(default_factory=dict[int, float])
    #: How long that run took.
    split_seconds: float | None = None
    runs: int = 0
    warm_up: int = 0
    devices: Sequence[Any] = ()
    reason: str = ""
    #: What could not be put back, a sentence each.
    lost: Sequence[str] = ()


def timed(
    model: torch.nn.Module,
    call: Callable[..., Any],
    inputs: Sequence[Any],
    named: Mapping[str, Any],
    warm_up: int,
) -> Timing:
    """Runs the call for time.

    The inputs are left as they were, and so is all that the model leads to; what could not be put
    back is in `lost`. Of tensors, 1 GiB is copied for that.
    """
    reason = _why_not(model)
    if reason:
        return Timing(reason=reason)
    devices = devices_of(model, inputs, named)

    def run() -> int:
        arguments, keywords = _pytree.tree_map(_fresh, (list(inputs), dict(named)))
        with same_random_numbers(devices):
            begun = read(devices)
            output = call(*arguments, **keywords)
            ticks = read(devices) - begun
            del output  # freed here: it is no part of the next run's time
        return ticks

    world = TensorWorld()
    world.state.reach([("", model)])
    world.keep_contents()
    whole: list[int] = []
    split: list[tuple[int, dict[int, int]]] = []
    try:
        with world:
            for _ in range(warm_up + 1):
                run()
            while len(whole) < _RUNS and (not whole or sum(whole) < _patience_ticks()):
                whole.append(run())
                with timing_modules(model, devices) as by_module:
                    split.append((run(), by_module))
    except Exception as error:
        if raised_by_handler(error, own=False):
            raise
        why = f"the model could not be run to be timed: {_first_line(error)}"
        return Timing(reason=why, lost=_lost(world))
    middle, by_module = sorted(split, key=lambda one: one[0])[(len(split) - 1) // 2]
    return Timing(
        seconds=statistics.median(map(ticks_to_seconds, whole)),
        by_module={module: ticks_to_seconds(ticks) for module, ticks in by_module.items()},
        split_seconds=ticks_to_seconds(middle),
        runs=len(whole),
        warm_up=warm_up + 1,
        devices=devices,
        lost=_lost(world),
    )


def _fresh(value: Any) -> Any:
    """A copy of an argument: a call may write to it, or make a cache in it grow."""
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


def _lost(world: TensorWorld) -> list[str]:
    return [*lost_weights(world.contents.lost), *world.state.failed()]


def _patience_ticks() -> float:
    # Processes that wait for each other run equally often.
    distributed: Any = torch.distributed
    if distributed.is_available() and distributed.is_initialized():
        return math.inf
    return _PATIENCE_S / ticks_to_seconds(1)


def _why_not(model: torch.nn.Module) -> str:
    for name, tensor in (*model.named_parameters(), *model.named_buffers()):
        if torch.nn.parameter.is_lazy(tensor):
            return f"{name} gets its shape at the first call: call the model once before"
        if tensor.device.type == "meta" or isinstance(tensor, torch._subclasses.FakeTensor):
            return f"{name} has a shape and no values: build the model with its weights"
    return ""


def _first_line(error: Exception) -> str:
    text = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {text}" if text else type(error).__name__
