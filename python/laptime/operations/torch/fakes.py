"""Stand-ins for tensors: fake ones, which have no memory, or others over the same memory.

A real tensor of few elements keeps its values beside its fake, so that code which asks for the
length of a sequence or the sum of a mask gets a true answer.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Iterable, Iterator
from typing import Any

import torch
from torch._subclasses import fake_tensor
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

from .masks import as_in_a_real_run

#: Elements up to which values are kept: what configurations, lengths and positions need, not data.
KEPT = 16384
#: The same of inputs that hold no whole numbers.
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


class Stage:
    """What a count is played on: fake tensors, or real ones."""

    def __init__(self, fake_mode: FakeTensorMode | None) -> None:
        self.fake_mode = fake_mode
        #: Whether weights may be written to, by an optimizer.
        self.is_written = False
        self._made: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}

    @classmethod
    def real(cls) -> Stage:
        """Real tensors."""
        return cls(None)

    @classmethod
    def fake(cls, tensors: Iterable[tuple[str, torch.Tensor]]) -> Stage:
        """Fake tensors, of the mode that made those that are fake already."""
        for _, tensor in tensors:
            if isinstance(tensor, FakeTensor):
                return cls(tensor.fake_mode)
        return cls(FakeTensorMode(allow_non_fake_inputs=True))

    @contextlib.contextmanager
    def entered(self) -> Iterator[None]:
        """Within it, tensors are made on this stage."""
        if self.fake_mode is None:
            yield
            return
        before = self.fake_mode.allow_non_fake_inputs
        # It writes what fails to stderr, with a traceback; here that is raised.
        log = logging.getLogger("torch._subclasses.fake_tensor")
        was_silent, log.disabled = log.disabled, True
        self.fake_mode.allow_non_fake_inputs = True
        try:
            with values_kept(), as_in_a_real_run(), self.fake_mode:
                yield
        finally:
            self.fake_mode.allow_non_fake_inputs = before
            log.disabled = was_silent

    def stand_in(self, tensor: torch.Tensor, *, keep_values: bool = False) -> torch.Tensor:
        """A leaf of the same shape that the count may write to; always the same for a tensor."""
        known = self._made.get(id(tensor))
        if known is None:
            known = (tensor, self._make(tensor, keep_values))
            self._made[id(tensor)] = known
        return known[1]

    def _make(self, tensor: torch.Tensor, keep_values: bool) -> torch.Tensor:
        if self.fake_mode is None:
            # What only a forward reads is shared; gradients belong to the leaf, not to the memory.
            made = tensor.detach()
            if keep_values or self.is_written or not tensor.requires_grad:
                made = made.clone()
        elif isinstance(tensor, FakeTensor):
            if isinstance(tensor, torch.nn.Parameter) or not tensor.requires_grad:
                return tensor
            made = tensor.detach()
        else:
            made = self._fake(tensor, keep_values)
        if isinstance(tensor, torch.nn.Parameter):
            return torch.nn.Parameter(made, requires_grad=tensor.requires_grad)
        return made.requires_grad_(True) if tensor.requires_grad else made

    def _fake(self, tensor: torch.Tensor, keep_values: bool) -> torch.Tensor:
        mode = self.fake_mode
        assert mode is not None
        if tensor.is_nested or tensor.layout in _SPARSE:
            kind = "nested" if tensor.is_nested else "sparse"
            raise NeedsValues(f"which elements a {kind} tensor has is data")
        is_plain = type(tensor) in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)
        if is_plain and tensor.is_meta:
            # Only its shape is asked for, and meta doesn't mix with other devices.
            with mode:
                return torch.empty_strided(
                    tensor.shape, tensor.stride(), dtype=tensor.dtype, device="cpu"
                )
        few = tensor.device.type == "cpu" and not tensor.requires_grad
        if is_plain and few and keep_values and tensor.layout == torch.strided:
            is_number = tensor.is_floating_point() or tensor.is_complex()
            if tensor.numel() <= (KEPT_NUMBERS if is_number else KEPT):
                converter: Any = mode.fake_tensor_converter
                values = tensor.detach().clone()
                return converter.from_real_tensor(mode, values, make_constant=True)
        return mode.from_tensor(tensor.detach(), static_shapes=True)


def values(tensor: Any) -> torch.Tensor | None:
    """A tensor's values, where they are known."""
    return tensor.constant if isinstance(tensor, FakeTensor) else tensor


def with_values(mode: FakeTensorMode, fake: Any, real: Any) -> None:
    """Keeps a fake tensor's values beside it."""
    if isinstance(fake, FakeTensor) and isinstance(real, torch.Tensor):
        fake.constant = real
        converter: Any = mode.fake_tensor_converter
        converter.add_constant_storage_mapping(fake)
