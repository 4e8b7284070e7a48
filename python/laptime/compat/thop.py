"""`thop` with numbers that are right: `from laptime.thop import clever_format, profile`.

`macs, params = profile(model, inputs=(x,))` counts matmul-like multiply-accumulates: of functions
and of modules alike, attention, transposed convolutions and what a model does itself included.
Normalisation and activations are no multiply-accumulates and not among them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch

from .._core import OpCounts, OpRow
from .._log import warn
from ..benchmarks._undisturbed import lost_weights
from ..operations import count
from ..world.model import evaluating
from ..world.tensors import TensorWorld

__all__ = ["clever_format", "profile", "profile_origin"]

Layers = dict[str, tuple[float, float, "Layers"]]


def profile(
    model: torch.nn.Module,
    inputs: Sequence[Any],
    custom_ops: Mapping[type, Callable[..., Any]] | None = None,
    verbose: bool = True,
    ret_layer_info: bool = False,
    report_missing: bool = False,
) -> tuple[Any, ...]:
    """MACs and parameters of a call in evaluation mode; with `ret_layer_info` those of layers too.

    A rule of `custom_ops` is called as thop does, `rule(module, inputs, output)`, and what it adds
    to `module.total_ops` stands for all that happens in modules of its class. For rules the model
    runs once with the inputs themselves; then it is as it was before, with all that it leads to. At
    most 1 GiB of tensors is copied for that, and what could not be put back is warned of.
    `verbose` and `report_missing` print which operators are not counted.
    """
    with evaluating(model), torch.no_grad():
        counts = count(model, *inputs)
        custom = _custom(model, inputs, custom_ops) if custom_ops else {}
    if verbose or report_missing:
        _print_uncounted(counts)
    rows = counts.by_module
    replaced = {path: rows[path].mac for path in custom if path in rows}
    macs = float(counts.mac - sum(replaced.values())) + sum(custom.values())
    params = float(counts.params or 0)
    if ret_layer_info:
        return macs, params, _layers(model, "", rows, custom)
    return macs, params


def profile_origin(
    model: torch.nn.Module,
    inputs: Sequence[Any],
    custom_ops: Mapping[type, Callable[..., Any]] | None = None,
    verbose: bool = True,
    report_missing: bool = False,
) -> tuple[Any, ...]:
    """As `profile`."""
    return profile(model, inputs, custom_ops, verbose, report_missing=report_missing)


def clever_format(nums: float | Iterable[float], format: str = "%.2f") -> str | tuple[str, ...]:
    """Numbers with the letter of their size, as thop writes them: `4.09G`."""
    values = list(nums) if isinstance(nums, Iterable) else [nums]
    texts = tuple(_clever(value, format) for value in values)
    return texts[0] if len(texts) == 1 else texts


def _clever(value: float, format: str) -> str:
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "K")):
        if value > size:
            return format % (value / size) + letter
    return format % value + "B"


def _custom(
    model: torch.nn.Module, inputs: Sequence[Any], rules: Mapping[type, Callable[..., Any]]
) -> dict[str, float]:
    """What the rules say, by the paths of the outermost modules that they are for."""
    found: dict[str, torch.nn.Module] = {}
    for path, module in model.named_modules():
        inside = any(path == above or path.startswith(f"{above}.") for above in found if above)
        if type(module) in rules and not inside and "" not in found:
            found[path] = module
    world = TensorWorld()
    world.state.reach([("", model), ("", tuple(inputs))])
    world.keep_contents()
    hooks: list[Any] = []
    try:
        with world:
            for module in found.values():
                module.register_buffer("total_ops", torch.zeros(1, dtype=torch.float64))
                hooks.append(module.register_forward_hook(rules[type(module)]))
            model(*inputs)
            return {path: float(module.total_ops) for path, module in found.items()}  # type: ignore[arg-type]
    finally:
        for hook in hooks:
            hook.remove()
        for it in (*lost_weights(world.contents.lost), *world.state.failed()):
            warn(it)


def _layers(
    module: torch.nn.Module, path: str, rows: Mapping[str, OpRow], custom: Mapping[str, float]
) -> Layers:
    layers: Layers = {}
    for name, child in module.named_children():
        inside = f"{path}.{name}" if path else name
        row = rows.get(inside)
        macs = custom.get(inside, float(row.mac) if row is not None else 0.0)
        params = float(sum(parameter.numel() for parameter in child.parameters()))
        layers[name] = (macs, params, _layers(child, inside, rows, custom))
    return layers


def _print_uncounted(counts: OpCounts) -> None:
    for it in counts.uncounted:
        print(f"[WARN] not counted: {it.name}, {it.calls} calls: {it.reason}")  # noqa: T201
