"""What a count is played on: fake tensors, or real ones of its own.

It makes the stand-ins of tensors that were there before. On the fake stage one has no memory. On
the real one it has the tensor's values, and its memory too as long as nobody writes to it: a write
is refused, and the count is played again with copies.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch._subclasses.fake_tensor import (
    FakeTensor,
    FakeTensorMode,
    unset_fake_temporarily,
)
from torch.utils._python_dispatch import (
    _disable_current_modes,
    is_traceable_wrapper_subclass,
)

from ..._core import OwnMemory
from .copies import shapes
from .fakes import fake, has_memory

_TORCH: Any = torch
_FUNCTORCH: Any = _TORCH._C._functorch

#: Memory that is copied whole, with what else lies in it, so that views stay views: up to this.
_WHOLE = 16 << 20


def outside_of_inference() -> Any:
    """What turns inference mode off from its `__enter__` to its `__exit__`, in `try` and `finally`.

    `torch.inference_mode` that is interrupted as it is entered or left ends only as its frame is
    forgotten: perhaps after the count, and then it sets back what is the program's.
    """
    return _TORCH._C._InferenceMode(False)


class WouldWrite(Exception):
    """Something writes to memory that the program reads after the count."""

    def __init__(self) -> None:
        super().__init__(
            "it writes to one of your tensors in a way that Laptime can't follow (a scripted "
            "function, an extension in C++)"
        )


class Stage:
    """The stand-ins of a count."""

    def __init__(self, fake_mode: FakeTensorMode | None, *, copies: bool = False) -> None:
        self.fake_mode = fake_mode
        self.copies = copies
        #: Whether its fake mode is its own.
        self.is_new = False
        #: Tensors whose values are not asked for: parameters, averages.
        self.weights: set[int] = set()
        #: Whether something would have written to the program's memory.
        self.refused = False
        #: Memory that a count on real tensors may write to.
        self.own = OwnMemory() if fake_mode is None else None
        #: Addresses of what it reads and may not write to.
        self._foreign: set[int] = set()
        #: Addresses of what is put back by others.
        self._lent: set[int] = set()
        self._copied: dict[int, tuple[Any, Any]] = {}

    @classmethod
    def real(cls, *, copies: bool = False) -> Stage:
        """Real tensors."""
        return cls(None, copies=copies)

    @classmethod
    def fake(cls, tensors: Iterable[tuple[str, torch.Tensor]]) -> Stage:
        """Fake tensors, of the mode that made those that are fake already."""
        for _, tensor in tensors:
            if isinstance(tensor, FakeTensor):
                return cls(tensor.fake_mode)
        made = cls(shapes())
        made.is_new = True
        return made

    # -- what was made within the count ----------------------------------------------------

    def is_own(self, tensor: torch.Tensor) -> bool:
        """Whether the count made a tensor, or one that it wraps."""
        while _FUNCTORCH.is_functorch_wrapped_tensor(tensor):
            tensor = _FUNCTORCH.get_unwrapped(tensor)
        if _TORCH._is_functional_tensor(tensor):
            return self.is_own(_TORCH._from_functional_tensor(tensor))
        if isinstance(tensor, FakeTensor):
            return True
        if is_traceable_wrapper_subclass(tensor):
            return all(map(self.is_own, _wrapped(tensor)))
        return all(
            address in self._lent or (self.own is not None and self.own.owns(address))
            for address, _ in _storages(tensor) or [(0, None)]
        )

    def made(self, out: Any) -> None:
        """An operator of a real run returned something that is no view."""
        if isinstance(out, torch.Tensor):
            for address, _ in _storages(out):
                if self.own is not None and address not in self._foreign:
                    self.own.add(address)
        elif isinstance(out, (tuple, list)):
            for part in out:
                self.made(part)

    def lend(self, tensor: torch.Tensor) -> None:
        """The count may write to a tensor, which others put back."""
        self._lent.update(address for address, _ in _storages(tensor))

    def refuse(self, tensor: Any) -> None:
        """Raises if an operator that writes to a tensor would write to the program's."""
        if isinstance(tensor, (tuple, list)):
            for part in tensor:
                self.refuse(part)
        elif isinstance(tensor, torch.Tensor):
            with _disable_current_modes():
                is_own = self.is_own(tensor)
            if not is_own:
                self.refused = True
                raise WouldWrite

    # -- stand-ins -------------------------------------------------------------------------

    def stand_in(self, tensor: torch.Tensor) -> torch.Tensor:
        """A leaf of the same shape that the count may write to, or will be refused to.

        Never an inference tensor, in whatever mode the program made its own: it may be met again
        where gradients are asked for.
        """
        guard = outside_of_inference()
        try:
            guard.__enter__()
            return self._stand_in(tensor)
        finally:
            guard.__exit__(None, None, None)

    def _stand_in(self, tensor: torch.Tensor) -> torch.Tensor:
        if self.fake_mode is not None:
            made = fake(self.fake_mode, tensor, keep_values=id(tensor) not in self.weights)
        elif self.copies or tensor.is_inference() or id(tensor) not in self.weights:
            made = self._copy(tensor)
            self.made(made)
        else:
            made = tensor.detach()
            self._foreign.update(address for address, _ in _storages(tensor))
        if isinstance(tensor, torch.nn.Parameter):
            return torch.nn.Parameter(made, requires_grad=tensor.requires_grad)
        return made.requires_grad_(True) if tensor.requires_grad else made

    def _copy(self, tensor: torch.Tensor) -> torch.Tensor:
        is_plain = type(tensor) in (torch.Tensor, torch.nn.Parameter, torch.nn.Buffer)
        is_plain = is_plain and tensor.layout == torch.strided and not tensor.is_nested
        if not is_plain or tensor.is_conj() or tensor.is_neg():
            return tensor.detach().clone()
        storage = tensor.untyped_storage()
        if not has_memory(tensor):
            made = torch.empty_strided(
                tensor.shape, tensor.stride(), dtype=tensor.dtype, device=tensor.device
            )
            made.untyped_storage().resize_(0)
            return made
        if storage.nbytes() > max(_WHOLE, 2 * tensor.numel() * tensor.element_size()):
            return tensor.detach().clone()
        known = self._copied.get(storage._cdata)
        if known is None:
            known = (storage, storage.clone())
            self._copied[storage._cdata] = known
        made = torch.empty(0, dtype=tensor.dtype, device=tensor.device)
        return made.set_(known[1], tensor.storage_offset(), tensor.shape, tensor.stride())


def _wrapped(tensor: Any) -> list[torch.Tensor]:
    """The tensors that one of a class of its own is made of."""
    names, _ = tensor.__tensor_flatten__()
    parts = [getattr(tensor, name) for name in names]
    return [part for part in parts if isinstance(part, torch.Tensor)]


def _storages(tensor: torch.Tensor) -> list[tuple[int, Any]]:
    """The memory of a tensor, or of those it is made of."""
    if is_traceable_wrapper_subclass(tensor):
        return [found for part in _wrapped(tensor) for found in _storages(part)]
    parts: tuple[Callable[[], torch.Tensor], ...]
    if tensor.layout == torch.sparse_coo:
        parts = (tensor._indices, tensor._values)
    elif tensor.layout in (torch.sparse_csr, torch.sparse_bsr):
        parts = (tensor.crow_indices, tensor.col_indices, tensor.values)
    elif tensor.layout in (torch.sparse_csc, torch.sparse_bsc):
        parts = (tensor.ccol_indices, tensor.row_indices, tensor.values)
    elif tensor.layout != torch.strided:
        return []
    else:
        storage = tensor.untyped_storage()
        return [(storage._cdata, storage)]
    with unset_fake_temporarily():
        return [found for part in parts for found in _storages(part())]
