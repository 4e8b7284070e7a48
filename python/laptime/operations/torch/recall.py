"""Which calls are known from an earlier one with arguments of the same kind, and what they made.

Only of operators that decide by sizes, strides, types and devices what comes out: PyTorch's own,
none whose sizes depend on data, and of those that write only the ones that write to their first
argument and return it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, unset_fake_temporarily

#: The argument whose memory it shares, or none; sizes, strides, offset, type, device, attributes.
_Tensor = tuple["int | None", tuple[int, ...], tuple[int, ...], int, Any, Any, Any]
#: An argument's place; a tensor; whether in a list or else a tuple, and several.
Made = int | _Tensor | tuple[bool, list[_Tensor]]

_TAGS = (
    torch.Tag.data_dependent_output,
    torch.Tag.dynamic_output_shape,
    torch.Tag.inplace_view,
)


def is_recalled(function: Any) -> bool:
    """Whether sizes, strides, types and devices decide what an operator makes."""
    schema = function._schema
    if function.namespace not in ("aten", "prims") or any(it in function.tags for it in _TAGS):
        return False
    if shares(function):
        return True
    aliases = [it.alias_info for it in (*schema.arguments, *schema.returns) if it.alias_info]
    if not aliases:
        return True
    # Its first argument, written to and returned.
    first = schema.arguments[0].alias_info
    return (
        len(aliases) == 2
        and first is not None
        and first.is_write
        and len(schema.returns) == 1
        and schema.returns[0].alias_info is not None
    )


def shares(function: Any) -> bool:
    """Whether what it returns lies in the memory of an argument."""
    return function.is_view or function._schema.name == "aten::_unsafe_view"


class Recall:
    """Describes what calls made of one mode's fake tensors."""

    def __init__(self, mode: FakeTensorMode | None) -> None:
        self._mode = mode
        self._attributes: dict[torch.device, dict[str, Any] | None] = {}

    def described(self, function: Any, arguments: tuple[Any, ...], out: Any) -> Made | None:
        """What a call made, so that it can be made again; nothing where that can't be said."""
        for index, argument in enumerate(arguments):
            if argument is out:
                return index
        inside = [it.untyped_storage()._cdata for it in _tensors(arguments)]
        if isinstance(out, torch.Tensor):
            return self._described(out, arguments, inside, shares(function))
        if type(out) not in (tuple, list) or not out:
            return None
        found: list[_Tensor] = []
        for it in out:
            one = self._described(it, arguments, inside, shares(function))
            if one is None:
                return None
            found.append(one)
            if not shares(function):
                inside.append(it.untyped_storage()._cdata)
        return (type(out) is list, found)

    def _described(
        self, out: Any, arguments: tuple[Any, ...], inside: list[int], is_view: bool
    ) -> _Tensor | None:
        if type(out) is not FakeTensor or out.constant is not None or out.layout != torch.strided:
            return None
        if out.is_conj() or out.is_neg() or out.requires_grad:
            return None
        storage, of = out.untyped_storage(), None
        if is_view:
            # That of its only tensor, which is an argument itself.
            if inside != [storage._cdata]:
                return None
            of = next((at for at, it in enumerate(arguments) if isinstance(it, FakeTensor)), None)
            if of is None:
                return None
        elif storage._cdata in inside or out.storage_offset() or storage.nbytes() != _needed(out):
            return None  # else memory of its own, no larger than its elements need
        shape, strides, offset = tuple(out.shape), out.stride(), out.storage_offset()
        if not isinstance(offset, int) or not all(type(it) is int for it in (*shape, *strides)):
            return None
        beside = self._beside(out.fake_device)
        return (of, shape, strides, offset, out.dtype, out.fake_device, beside)

    def _beside(self, device: torch.device) -> dict[str, Any] | None:
        """What its class gives a fake tensor besides sizes and a device, if that is all it does."""
        if device not in self._attributes:
            self._attributes[device] = self._found(device)
        return self._attributes[device]

    def _found(self, device: torch.device) -> dict[str, Any] | None:
        mode = self._mode
        if mode is None:
            return None
        with unset_fake_temporarily():
            one, other = (torch.empty_strided((), (), device="meta") for _ in range(2))
            made = FakeTensor(mode, one, device)
            again = torch.Tensor._make_subclass(
                FakeTensor, other, False, dispatch_device=True, device_for_backend_keys=device
            )
        found = dict(vars(made))
        is_plain = all(it is None or it is mode or it == device for it in found.values())
        keys = torch._C._dispatch_keys
        return found if is_plain and keys(made) == keys(again) else None


def _tensors(arguments: Any) -> Iterator[torch.Tensor]:
    for it in arguments:
        if isinstance(it, torch.Tensor):
            yield it
        elif isinstance(it, (list, tuple)):
            yield from _tensors(it)


def _needed(tensor: torch.Tensor) -> int:
    """Bytes from the first element to the last."""
    if not tensor.numel():
        return 0
    last = sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))
    return int(last + 1) * tensor.element_size()
