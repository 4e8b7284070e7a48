"""Fake tensors, which have shapes and no memory.

A real tensor of few elements keeps its values beside its fake, so that code which asks for the
length of a sequence or the sum of a mask gets a true answer.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch._subclasses import fake_tensor
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

#: Elements up to which values are kept: what configurations, lengths and positions need, not data.
KEPT = 16384
#: Elements up to which values of inputs are kept that hold no whole numbers.
KEPT_NUMBERS = 1024


class NeedsValues(Exception):
    """A tensor's values decide what is computed, so its fake won't do."""


def lacks_values(tensors: Iterable[tuple[str, torch.Tensor]]) -> str | None:
    """The first tensor that has a shape and no values."""
    for name, tensor in tensors:
        if isinstance(tensor, FakeTensor):
            return f"{name} (a fake tensor)"
        if tensor.is_meta:
            return f"{name} (on the meta device)"
    return None


_SPARSE = {
    torch.sparse_coo,
    torch.sparse_csr,
    torch.sparse_csc,
    torch.sparse_bsr,
    torch.sparse_bsc,
}


@contextlib.contextmanager
def values_kept() -> Iterator[None]:
    """Within it, what is computed from known values of few elements is known too."""
    before = fake_tensor.CONSTANT_NUMEL_LIMIT
    fake_tensor.CONSTANT_NUMEL_LIMIT = KEPT
    try:
        yield
    finally:
        fake_tensor.CONSTANT_NUMEL_LIMIT = before


def fake(mode: FakeTensorMode, tensor: torch.Tensor, *, keep_values: bool) -> torch.Tensor:
    """A fake of a real tensor."""
    if tensor.is_nested or tensor.layout in _SPARSE:
        kind = "nested" if tensor.is_nested else "sparse"
        raise NeedsValues(f"which elements a {kind} tensor has is data")
    is_plain = type(tensor) in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)
    few = tensor.device.type == "cpu" and not tensor.requires_grad
    if is_plain and few and keep_values and tensor.layout == torch.strided:
        is_number = tensor.is_floating_point() or tensor.is_complex()
        if tensor.numel() <= (KEPT_NUMBERS if is_number else KEPT) and has_memory(tensor):
            converter: Any = mode.fake_tensor_converter
            values = tensor.detach().clone()
            return converter.from_real_tensor(mode, values, make_constant=True)
    is_meta = tensor.device.type == "meta"
    if is_meta and (is_plain or isinstance(tensor, FakeTensor)):
        # Only its shape is asked for, and meta doesn't mix with other devices.
        return _shaped(mode, tensor, "cpu")
    if tensor.is_inference() and (is_plain or isinstance(tensor, FakeTensor)):
        # What is made of an inference tensor is one again.
        made = _shaped(mode, tensor, tensor.device)
    else:
        made = mode.from_tensor(tensor.detach(), static_shapes=True)
    return made


def _shaped(mode: FakeTensorMode, tensor: torch.Tensor, device: Any) -> torch.Tensor:
    with mode:
        return torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype, device=device)


def has_memory(tensor: torch.Tensor) -> bool:
    """Whether its elements lie somewhere: sharded training takes the memory away meanwhile."""
    return tensor.untyped_storage().nbytes() >= tensor.numel() * tensor.element_size()


def values(tensor: Any) -> torch.Tensor | None:
    """A tensor's values, where they are known."""
    return tensor.constant if isinstance(tensor, FakeTensor) else tensor


def with_values(mode: FakeTensorMode, fake: Any, real: Any) -> None:
    """Keeps a fake tensor's values beside it."""
    if isinstance(fake, FakeTensor) and isinstance(real, torch.Tensor):
        fake.constant = real
        converter: Any = mode.fake_tensor_converter
        converter.add_constant_storage_mapping(fake)
