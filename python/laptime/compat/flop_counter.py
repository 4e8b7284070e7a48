"""`torch.utils.flop_counter.FlopCounterMode` with numbers that are right.

    from laptime.flop_counter import FlopCounterMode

Constructor, methods and table are PyTorch's own, whose class it is; the FLOP of each operator are
Laptime's. Gradients of grouped convolutions, fused recurrent layers, transformer encoders on
their fast path and products with vectors are then counted as what they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch.utils import flop_counter
from torch.utils.flop_counter import register_flop_formula

from .._core import Feed, OpCounts, Shape

__all__ = ["FlopCounterMode", "register_flop_formula"]


class FlopCounterMode(flop_counter.FlopCounterMode):
    """Counts the matmul-like FLOP of what runs within it, by module and by operator.

    FLOP are those that the model asks for: what flash attention's backward repeats is left out.
    Formulas of `custom_mapping` and `register_flop_formula` go before Laptime's. Operators that
    nobody can count are in `get_unsupported_ops()`.
    """

    def __init__(
        self,
        mods: torch.nn.Module | list[torch.nn.Module] | None = None,
        depth: int = 2,
        display: bool = True,
        custom_mapping: dict[Any, Any] | None = None,
        skip_unsupported: bool = False,
    ) -> None:
        super().__init__(mods, depth, display, custom_mapping, skip_unsupported)
        asked_for = set(custom_mapping or ())
        own = flop_counter.flop_registry
        self._users = asked_for | {packet for packet in own if not _is_pytorch_s(packet)}
        self._known: dict[Any, int] = {}
        self._signatures: dict[Any, tuple[str, list[str]]] = {}
        self._fast_path = True

    def __enter__(self) -> FlopCounterMode:
        mha: Any = torch.backends.mha
        self._fast_path = mha.get_fastpath_enabled()
        mha.set_fastpath_enabled(False)
        super().__enter__()
        return self

    def __exit__(self, *error: Any) -> Any:
        mha: Any = torch.backends.mha
        mha.set_fastpath_enabled(self._fast_path)
        return super().__exit__(*error)

    def _count_flops(self, func_packet: Any, out: Any, args: Any, kwargs: Any) -> Any:
        if func_packet in self._users or not hasattr(func_packet, "overloads"):
            return super()._count_flops(func_packet, out, args, kwargs)
        flop = self._flop(func_packet, out, args, kwargs)
        if flop:
            for parent in set(self.mod_tracker.parents):
                self.flop_counts[parent][func_packet] += flop
        return out

    def _flop(self, packet: Any, out: Any, args: Sequence[Any], kwargs: Mapping[str, Any]) -> int:
        """The FLOP of a call; asked once for each operator and shapes."""
        signature = self._signatures.get(packet)
        if signature is None:
            schema = _schema(packet)
            names = [argument.name for argument in schema.arguments]
            signature = self._signatures[packet] = (schema.name, names)
        name, names = signature
        passed = dict(zip(names, args), **kwargs)
        arguments = [_argument(passed.get(name)) for name in names]
        outputs = [shape for shape in map(_argument, _flat(out)) if isinstance(shape, Shape)]
        key = (packet, _key(arguments), _key(outputs))
        flop = self._known.get(key)
        if flop is None:
            counts = _counts(name, names, arguments, outputs)
            if counts.uncounted:
                self._unsupported_ops[name] += 1
                return counts.flop
            flop = self._known[key] = counts.flop
        return flop


def _counts(
    name: str, names: Sequence[str], arguments: Sequence[Any], outputs: Sequence[Shape]
) -> OpCounts:
    feed = Feed()
    feed.add(feed.operator(name, names), arguments, outputs)
    return feed.finish()


def _is_pytorch_s(packet: Any) -> bool:
    """Whether an operator's formula is one that PyTorch brings along."""
    name = str(getattr(packet, "_qualified_op_name", ""))
    return name.startswith("aten::") or not hasattr(packet, "overloads")


def _schema(packet: Any) -> Any:
    overload = getattr(packet, "default", None) or getattr(packet, packet.overloads()[0])
    return overload._schema


def _flat(out: Any) -> Sequence[Any]:
    return out if isinstance(out, (tuple, list)) else (out,)


def _argument(value: Any) -> Any:
    """What a formula sees of an argument."""
    if isinstance(value, torch.Tensor):
        strides = value.stride() if value.layout == torch.strided else None
        wanted = value.requires_grad
        return Shape(value.shape, str(value.dtype), strides=strides, needs_grad=wanted)
    if isinstance(value, (tuple, list)):
        return [_argument(part) for part in value]
    return value if isinstance(value, (bool, int, float, str)) else None


def _key(value: Any) -> Any:
    if isinstance(value, Shape):
        return value.shape, value.strides, value.dtype, value.needs_grad
    return tuple(map(_key, value)) if isinstance(value, list) else value
