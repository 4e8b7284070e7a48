"""A tensor in a line that is the same in every run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch._subclasses.functional_tensor import FunctionalTensor

from .surroundings import digest


def is_real(tensor: torch.Tensor) -> bool:
    """Whether it has memory and values of its own."""
    return not (
        isinstance(tensor, (FakeTensor, FunctionalTensor))
        or tensor.is_meta
        or torch._is_functional_tensor(tensor)
        or torch._C._functorch.is_functorch_wrapped_tensor(tensor)
    )


def described(tensor: torch.Tensor) -> str:
    """Its class, type, sizes, where it comes from, a digest of its bytes and its first values."""
    kind = type(tensor).__name__
    if not is_real(tensor):
        return f"NO REAL TENSOR: {kind} {tensor.dtype} {tuple(tensor.shape)}"
    text = (
        f"{kind} {str(tensor.dtype)[6:]} {tuple(tensor.shape)} {tensor.device}"
        f"{' needs gradient' if tensor.requires_grad else ''}"
        f"{' of ' + type(tensor.grad_fn).__name__ if tensor.grad_fn is not None else ''}"
    )
    with torch.no_grad():
        plain = tensor.detach()
        if hasattr(plain, "_local_tensor"):
            return text
        if plain.layout == torch.strided and plain.numel() and not plain.untyped_storage().nbytes():
            return f"{text}, its memory given back"  # as sharding does between steps
        if plain.layout != torch.strided:
            plain = plain.coalesce() if plain.is_sparse else plain
            parts = [plain.indices(), plain.values()] if plain.is_sparse else [plain.to_dense()]
            text += f" {str(plain.layout)[6:]}"
        else:
            text += f" {tuple(plain.stride())}"
            parts = [plain]
        data = b"".join(_bytes(part) for part in parts)
        return f"{text} {digest(data)} {[f'{x:.9g}' for x in _few(parts[-1])]}"


def _few(tensor: torch.Tensor) -> Iterator[Any]:
    return iter(tensor.reshape(-1)[:3].tolist())


def _bytes(tensor: torch.Tensor) -> bytes:
    # Of a copy: memory that NumPy has seen can't be given back any more.
    copy = tensor.cpu().clone(memory_format=torch.contiguous_format)
    return copy.reshape(-1).view(torch.uint8).numpy().tobytes()
