"""What other counters say of a model, in multiply-accumulates, and of which parts of it.

Each counter is used as its documentation shows. Beside the total stands what it says of each
kind of part: classes of modules for those that hook modules, operators for those that see
operators. From these follows where it differs from the truth.
"""

from __future__ import annotations

import contextlib
import inspect
import io
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from unittest import mock

import torch


@dataclass(frozen=True)
class Said:
    """What a counter said."""

    mac: float
    parts: Counter[str]
    # Whether the parts are operators; else they are classes of modules.
    by_operator: bool = False


class First(torch.nn.Module):
    """A model whose result is the first of what it returns."""

    def __init__(self, model: torch.nn.Module) -> None:
        super().__init__()
        self.model = model

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        output = self.model(x)
        return output if isinstance(output, torch.Tensor) else output[0]


def _classes(model: torch.nn.Module, of: Callable[[torch.nn.Module], float]) -> Counter[str]:
    parts: Counter[str] = Counter()
    for module in model.modules():
        mac = of(module)
        if mac:
            parts[type(module).__name__] += mac
    return parts


def thop(model: torch.nn.Module, x: torch.Tensor) -> Said:
    from thop import profile

    mac, _, layers = profile(model, inputs=(x,), verbose=False, ret_layer_info=True)
    parts: Counter[str] = Counter()

    def walk(path: str, layers: dict[str, Any]) -> None:
        for name, (mac, _, below) in layers.items():
            inside = f"{path}.{name}" if path else name
            walk(inside, below)
            if not below:
                parts[type(model.get_submodule(inside)).__name__] += mac

    walk("", layers)
    return Said(mac, parts)


def fvcore(model: torch.nn.Module, x: torch.Tensor) -> Said:
    from fvcore.nn import FlopCountAnalysis

    # Tracing takes no dictionaries.
    analysis = FlopCountAnalysis(First(model), x)
    analysis.unsupported_ops_warnings(False).uncalled_modules_warnings(False)
    return Said(
        analysis.total(),
        _kinds({f"aten::{name}": mac for name, mac in analysis.by_operator().items()}),
        by_operator=True,
    )


def ptflops(model: torch.nn.Module, x: torch.Tensor) -> Said:
    from ptflops import get_model_complexity_info, pytorch_engine

    parts: Counter[str] = Counter()

    def noted(model: Any, *_: Any, **__: Any) -> None:
        parts.update(_classes(model, lambda module: getattr(module, "__flops__", 0)))

    name = next(iter(inspect.signature(model.forward).parameters))
    with mock.patch.object(pytorch_engine, "print_model_with_flops", noted):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            mac, _ = get_model_complexity_info(
                model,
                tuple(x.shape[1:]),
                input_constructor=lambda _: {name: x},
                as_strings=False,
            )
    if mac is None:
        reason = said.getvalue().split("exception:", 1)[-1].strip().splitlines()[0]
        raise RuntimeError(f"None, and prints {reason}")
    functions = mac - sum(parts.values())
    if functions > 0.5:
        parts["functions"] += functions
    return Said(mac, parts)


def torchinfo(model: torch.nn.Module, x: torch.Tensor) -> Said:
    from torchinfo import summary

    statistics = summary(model, input_data=[x], verbose=0)
    parts: Counter[str] = Counter()
    for layer in statistics.summary_list:
        if layer.is_leaf_layer:
            parts[type(layer.module).__name__] += layer.macs
    return Said(statistics.total_mult_adds, parts)


def flops_profiler(model: torch.nn.Module, x: torch.Tensor) -> Said:
    from flops_profiler.profiler import FlopsProfiler

    profiler = FlopsProfiler(model)
    profiler.start_profile()
    try:
        model(x)
        mac = profiler.get_total_macs()
        parts = _classes(model, lambda module: module.__macs__)
    finally:
        profiler.end_profile()
    return Said(mac, parts)


def calflops(model: torch.nn.Module, x: torch.Tensor, *, backward: bool = False) -> Said:
    from calflops.calculate_pipline import CalFlopsPipline

    # As `calculate_flops(include_backPropagation=True)`: twice the forward on top of it.
    times = 3 if backward else 1
    line = CalFlopsPipline(model, False, 2.0)
    line.start_flops_calculate()
    try:
        model(x)
        mac = line.get_total_macs() * times
        parts = _classes(model, lambda module: module.__macs__ * times)
    finally:
        line.end_flops_calculate()
    return Said(mac, parts)


#: Operators by what they are, as each counter names them.
_KINDS = {
    "attention": ("scaled_dot_product", "flash_attention", "efficient_attention"),
    "recurrent layer": ("lstm", "gru", "rnn"),
    "convolution": ("conv",),
    "matrix times vector": ("aten::mv", "aten.mv", "addmv", "aten::dot"),
    "matrix product": ("mm", "matmul", "linear", "einsum"),
}


def kind_of(operator: str) -> str:
    """What an operator is; its gradient apart where it is an operator of its own."""
    for kind, parts in _KINDS.items():
        if any(part in operator for part in parts):
            return f"{kind}, backward" if "backward" in operator else kind
    return operator


def _kinds(parts: dict[str, float]) -> Counter[str]:
    kinds: Counter[str] = Counter()
    for operator, mac in parts.items():
        if mac:
            kinds[kind_of(operator)] += mac
    return kinds


def flop_counter(model: torch.nn.Module, x: torch.Tensor, *, backward: bool = False) -> Said:
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as counted, grad(backward):
        run(model, x, backward)
    by_operator = counted.get_flop_counts().get("Global", {})
    parts = {str(operator): flop / 2 for operator, flop in by_operator.items()}
    return Said(counted.get_total_flops() / 2, _kinds(parts), by_operator=True)


def torch_profiler(model: torch.nn.Module, x: torch.Tensor, *, backward: bool = False) -> Said:
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU], with_flops=True) as profiled, grad(backward):
        run(model, x, backward)
    parts = {event.key: event.flops / 2 for event in profiled.key_averages() if event.flops}
    return Said(sum(parts.values()), _kinds(parts), by_operator=True)


def grad(wanted: bool) -> Any:
    return torch.enable_grad() if wanted else torch.no_grad()


def run(model: torch.nn.Module, x: torch.Tensor, backward: bool) -> None:
    """A call, and its backward from the sum of the first floating output."""
    output = First(model)(x) if backward else model(x)
    if backward:
        output.sum().backward()
