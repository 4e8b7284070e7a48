"""Profiles a call that is made for it: counted first, then timed in runs of its own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from ..._core import OpCounts
from ...operations import count
from ...operations.torch.wrapped_model import unwrap
from ...world.model import evaluating
from ..timing.timers import check_count
from .account import Accountant
from .clock import waiting
from .layout import Profile
from .runs import Timing, timed

_COUNTED = (
    "MACs and flops: every operator of one call, from its shapes; in evaluation mode, without "
    "gradients"
)


def kinds_of(name: str, ignored: Sequence[type] | None) -> tuple[type, ...]:
    """Classes of modules, as a list; of a name nothing would be left out."""
    for_example = f"{name} is a list of classes, such as {name}=[torch.nn.Dropout]"
    if isinstance(ignored, str | type):
        raise TypeError(f"{for_example}, not {ignored!r}")
    kinds = tuple(ignored or ())
    other = next((it for it in kinds if not isinstance(it, type)), None)
    if other is not None:
        raise TypeError(f"{for_example}: {other!r} is no class")
    return kinds


def profile_of(
    model: torch.nn.Module,
    input_shape: tuple[int, ...] | None,
    args: Sequence[Any] | None,
    kwargs: Mapping[str, Any] | None,
    ignored: Sequence[type] | None,
    method: str,
    warm_up: int,
    is_timed: bool,
) -> Profile:
    """The profile of a call in evaluation mode, without gradients; the model is left as it was."""
    if not isinstance(model, torch.nn.Module):
        raise TypeError(f"a torch.nn.Module was expected, not {type(model).__name__}")
    warm_up = check_count("warm_up", warm_up, 0)
    kinds = kinds_of("ignore_modules", ignored)
    if type(model) in kinds:
        raise ValueError(
            f"ignore_modules names {type(model).__name__}, the class of the model itself: "
            "nothing would be left to count. Name classes of modules in it"
        )
    inputs, named = tuple(args or ()), dict(kwargs or {})
    if input_shape is not None:
        inputs = (_made(model, input_shape),)
    if not inputs and not named:
        raise ValueError(
            "give input_shape, args or kwargs: there is nothing to call the model with"
        )
    call: Any = model if method == "forward" else getattr(model, method, None)
    if not callable(call):
        raise ValueError(
            f"{type(model).__name__} has no method {method!r}: mode= (func_name=) names the one "
            "to call, as mode='forward' or mode='generate'"
        )
    with evaluating(model), torch.no_grad():
        counts = count(call, *inputs, kwargs=named)
        timing = timed(model, call, inputs, named, warm_up) if is_timed else Timing()
    inner = unwrap(model)[0]
    rows = counts.by_module

    def counted(path: str) -> tuple[int, int]:
        if not path:
            return counts.mac, counts.total_flop
        row = rows.get(path)
        return (row.mac, row.total_flop) if row is not None else (0, 0)

    # Other methods are no module's forward: the whole call stands for the model.
    seconds = dict(timing.by_module)
    if timing.split_seconds is not None:
        seconds[id(inner)] = timing.split_seconds
    account = Accountant(counted, seconds, kinds).account(inner)
    how = [_COUNTED, *_how_timed(timing), *doubts(counts, account.lacks)]
    return Profile(account, timing.seconds, how)


def doubts(counts: OpCounts, lacks: bool) -> list[str]:
    """What is not in the numbers, and why."""
    lines = [f"warning: {warning}" for warning in counts.warnings]
    lines += [
        f"not counted: {it.name}, {it.calls} calls: {it.reason}; MACs and flops leave them out"
        for it in counts.uncounted
    ]
    if lacks:
        lines.append(
            "ignored modules are left out of MACs and flops, but their time is in the latency: "
            "the modules around them have no FLOPS"
        )
    return lines


def _made(model: torch.nn.Module, shape: tuple[int, ...]) -> torch.Tensor:
    """An input of that shape; its random numbers are not the program's."""
    if not isinstance(shape, tuple) or not shape:
        raise TypeError(
            f"input_shape is a tuple of at least one size, as (1, 3, 224, 224), not {shape!r}"
        )
    like = next(model.parameters(), torch.empty(0))
    if like.device.type == "meta" or isinstance(like, torch._subclasses.FakeTensor):
        return torch.empty(shape, dtype=like.dtype, device="meta")
    drawn = torch.rand(shape, generator=torch.Generator().manual_seed(0))
    return drawn.to(dtype=like.dtype, device=like.device)


def _how_timed(timing: Timing) -> list[str]:
    lost = [f"warning: {it}" for it in timing.lost]
    if timing.seconds is None:
        return [f"fwd latency: absent, because {timing.reason}", *lost] if timing.reason else []
    split = timing.split_seconds or 0.0
    return [
        f"fwd latency: median of {_runs(timing.runs)} after {_runs(timing.warm_up)} of warm-up, "
        f"by the host's clock; {waiting(timing.devices)}",
        f"fwd latency of modules: {_runs(timing.runs)} more, with the clock read before and after "
        f"each module; shown is the run with the median total, {_ms(split)}",
        *lost,
    ]


def _runs(runs: int) -> str:
    return f"{runs} run" if runs == 1 else f"{runs} runs"


def _ms(seconds: float) -> str:
    return f"{seconds * 1e3:.4g} ms"
