"""What becomes of stand-ins when a program copies, converts, saves or shares them.

A fake tensor carries the mode that made it, and PyTorch's `copy.deepcopy` of one copies that too,
with its weak references to storages: each is then released twice, and the memory of something
else with it. Here a mode is one, whatever is copied, and stand-ins have copies of their own making.
What needs memory that isn't there (pickles, NumPy, DLPack) is refused in a sentence.

The methods are set on `FakeTensor` itself: for a count while it lasts, for good once a model was
built without weights, since that outlives its block. They leave the fake tensors of everybody else
as they are.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import torch
import torch.utils.dlpack
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode, unset_fake_temporarily

from ..._core import LaptimeError
from .fakes import values_kept


def shapes() -> FakeTensorMode:
    """A mode whose tensors may be copied and converted, also after it was left.

    Of `FakeTensorMode`'s own class, by which operators with bodies look up what they do under it.
    """
    mode = FakeTensorMode(allow_non_fake_inputs=True)
    mode.__dict__.update(of_laptime=True, __deepcopy__=lambda _: mode)
    return mode


def _is_ours(tensor: Any) -> bool:
    return hasattr(getattr(tensor, "fake_mode", None), "of_laptime")


@contextlib.contextmanager
def _played(tensor: Any) -> Iterator[None]:
    """Within it, what is made of a tensor is of its mode, and knows the values that it knows."""
    with values_kept(), torch.no_grad(), tensor.fake_mode:
        yield


def _deep_copied(tensor: Any, memo: dict[int, Any]) -> Any:
    """A copy with memory of its own, as far as there is any."""
    if id(tensor) in memo:
        return memo[id(tensor)]
    if not tensor.is_leaf:
        return torch.Tensor.__deepcopy__(tensor, memo)  # which says why it refuses
    with _played(tensor):
        made = tensor.clone().requires_grad_(tensor.requires_grad)
    memo[id(tensor)] = made
    for name, value in tensor.__dict__.items():
        # What it has by now is the mode's: its shape, its device, its values.
        if name not in made.__dict__:
            made.__dict__[name] = copy.deepcopy(value, memo)
    if tensor.grad is not None:
        made.grad = copy.deepcopy(tensor.grad, memo)
    return made


def _copied(tensor: Any) -> Any:
    """Another tensor over the same memory."""
    with _played(tensor):
        made = tensor.detach().requires_grad_(tensor.requires_grad)
    for name, value in tensor.__dict__.items():
        made.__dict__.setdefault(name, value)
    return made


class HasNoMemory(LaptimeError):
    """Something needs a tensor's memory, and there is none."""


def _refused(what: str) -> Callable[..., Any]:
    def refuse(tensor: Any, *_: Any, **__: Any) -> Any:
        size = "\N{MULTIPLICATION SIGN}".join(map(str, tensor.shape)) or "scalar"
        raise HasNoMemory(
            f"a tensor ({size} {str(tensor.dtype).removeprefix('torch.')}) of a model without "
            f"weights has no memory: {what}. Build the model outside lt.no_weights() for that"
        )

    return refuse


_pickled = _refused("it cannot be pickled, saved or sent to another process")
_handed_over = _refused("there is nothing to hand over by DLPack")


def _reduced(tensor: Any, protocol: int) -> Any:
    """Pickles are refused, unless they are of shapes alone."""
    if torch.serialization._serialization_tls.skip_data:
        return torch.Tensor.__reduce_ex__(tensor, protocol)
    return _pickled(tensor)


def _itself(tensor: Any) -> Any:
    """There is nothing to move to shared memory."""
    return tensor


_METHODS: dict[str, Callable[..., Any]] = {
    "__deepcopy__": _deep_copied,
    "__copy__": _copied,
    "__reduce_ex__": _reduced,
    "__dlpack__": _handed_over,
    "numpy": _refused("it cannot be a NumPy array"),
    "share_memory_": _itself,
}


def teach(put: Callable[[Any, str, Any], None]) -> None:
    """Gives tensors of `shapes` methods of their own, by setting attributes with `put`."""
    if hasattr(getattr(FakeTensor, "__deepcopy__", None), "of_laptime"):
        return
    for name, own in _METHODS.items():
        put(FakeTensor, name, _method(name, own, getattr(FakeTensor, name, None)))
    put(torch.utils, "swap_tensors", _swapping(torch.utils.swap_tensors))
    # Functions that ask no tensor: they would hand out an address where nothing is.
    places: tuple[Any, ...] = (torch, torch.utils.dlpack)
    for place in places:
        put(place, "to_dlpack", _handing(place.to_dlpack))


def _method(name: str, own: Callable[..., Any], theirs: Callable[..., Any] | None) -> Any:
    def method(tensor: Any, *arguments: Any, **keywords: Any) -> Any:
        if _is_ours(tensor):
            return own(tensor, *arguments, **keywords)
        if theirs is None:  # `copy.copy`, which then asks for what pickles it
            function, values = tensor.__reduce_ex__(4)[:2]
            return function(*values)
        return theirs(tensor, *arguments, **keywords)

    method.__name__ = name
    method.of_laptime = True  # type: ignore[attr-defined]
    return method if theirs is None else functools.wraps(theirs)(method)


def _handing(hand: Callable[[Any], Any]) -> Callable[[Any], Any]:
    @functools.wraps(hand)
    def to_dlpack(tensor: Any) -> Any:
        return _handed_over(tensor) if _is_ours(tensor) else hand(tensor)

    return to_dlpack


def _swapping(swap: Callable[[Any, Any], None]) -> Callable[[Any, Any], None]:
    """`torch.utils.swap_tensors`, by which modules convert fake parameters: `half()`, `to()`.

    It refuses tensors to which there are weak references, and a mode holds some to its own.
    """

    @functools.wraps(swap)
    def swap_tensors(t1: Any, t2: Any) -> None:
        ours = [tensor for tensor in (t1, t2) if _is_ours(tensor)]
        for tensor in ours:
            _forget(tensor)
        try:
            swap(t1, t2)
        finally:
            for tensor in (t1, t2):
                if _is_ours(tensor) and tensor.constant is not None:
                    tensor.fake_mode.fake_tensor_converter.add_constant_storage_mapping(tensor)

    return swap_tensors


def _forget(tensor: Any) -> None:
    """Has its mode drop its weak references to a tensor."""
    converter = tensor.fake_mode.fake_tensor_converter
    for reference in weakref.getweakrefs(tensor):
        if isinstance(reference, weakref.KeyedRef):
            converter.tensor_memo.pop(reference.key, None)
    if tensor.constant is not None:
        for references in converter.constant_storage_mapping.values():
            references[:] = [found for found in references if found() is not tensor]


@contextlib.contextmanager
def real_ones_copied() -> Iterator[None]:
    """Within it, tensors that have memory, from before, are copied as what they are."""
    kind: Any = torch.Tensor
    before = kind.__deepcopy__

    @functools.wraps(before)
    def deepcopy(tensor: Any, memo: dict[int, Any]) -> Any:
        with unset_fake_temporarily():
            return before(tensor, memo)

    kind.__deepcopy__ = deepcopy
    try:
        yield
    finally:
        kind.__deepcopy__ = before
