"""What is in tensors that are too large to keep their values: how they were made.

A mask is made of numbers: ranges that are compared, ones whose upper half is dropped, a buffer of
the model. Beside a storage whose values a fake tensor lacks stands the list of calls that filled
it; run again on real tensors, they say what is in it. That is done only when attention asks.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Iterator
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils import _pytree as pytree

from ..._core import raised_by_handler
from .isolation import Alone

#: Elements up to which a mask is made: 4096 queries and as many keys.
LARGEST = 4096 * 4096

#: Calls whose results depend on no tensor's values, and the number that they fill in.
_FILLED = {
    "aten::zeros_like": 0,
    "aten::new_zeros": 0,
    "aten::ones_like": 1,
    "aten::new_ones": 1,
    "aten::zero_": 0,
}
_FILLED_WITH = {"aten::full_like": 1, "aten::new_full": 2, "aten::fill_": 1}

#: What is made of weights by these stays finite, so that added to scores it masks nothing.
_OF_WEIGHTS = {
    "aten::index",
    "aten::index_select",
    "aten::gather",
    "aten::embedding",
    "aten::clone",
    "aten::_to_copy",
    "aten::add",
    "aten::mul",
    "aten::sigmoid",
    "aten::repeat",
    "aten::cat",
    "aten::constant_pad_nd",
    "aten::where",
    "aten::masked_fill",
}
#: What stands for a weight: any number that is finite will do.
_WEIGHT = 0.5

#: Where a storage's list stands, on the storage itself: it is gone when the storage is.
_STEPS = "_laptime_steps"


class Unknown(Exception):
    """What is in a tensor can't be told; a phrase that follows "as" says why."""


class Ref:
    """A tensor as it was at a moment: a view of a storage after so many of its calls."""

    __slots__ = ("dtype", "offset", "shape", "source", "strides", "upto", "version")

    def __init__(self, tensor: Any, source: Any, upto: int) -> None:
        #: The storage's calls; or values; or `None` for a weight's.
        self.source = source
        self.upto = upto
        #: The version of values, which may be written to before they are asked for.
        self.version = _version(source)
        self.shape = tuple(tensor.shape)
        self.strides = tensor.stride()
        self.offset = tensor.storage_offset()
        self.dtype = tensor.dtype

    @property
    def is_weight(self) -> bool:
        """Whether it has no values that could be told, and they don't matter."""
        return self.source is None

    @property
    def key(self) -> tuple[Any, ...] | None:
        """What tells it from others, if its values stay as they are."""
        if isinstance(self.source, torch.Tensor):
            return None
        return (self.source, self.upto, self.shape, self.strides, self.offset, self.dtype)

    def value(self, made: _Made) -> torch.Tensor:
        """What is in it; `made` are the storages that were filled on the way."""
        if self.source is None:
            return _full(self.shape, _WEIGHT, self.dtype)
        if isinstance(self.source, torch.Tensor):
            if _version(self.source) != self.version:
                raise Unknown("its mask was written to")
            return self.source
        return _view(self.source.run(self.upto, made), self)


def _version(source: Any) -> int | None:
    if not isinstance(source, torch.Tensor) or source.is_inference():
        return None
    return source._version


class Steps:
    """The calls that filled a storage, in order."""

    def __init__(self) -> None:
        self._calls: list[tuple[Any, Any, Any, Ref]] = []
        self.is_of_weights = False

    def __len__(self) -> int:
        return len(self._calls)

    def add(self, function: Any, arguments: Any, keywords: Any, out: Any) -> None:
        """Adds a call, whose tensors are `Ref`s."""
        self._calls.append((function, arguments, keywords, Ref(out, self, len(self._calls))))

    def run(self, upto: int, made: _Made) -> torch.Tensor:
        """What is in the storage after so many calls; not to be written to."""
        known = made.get((self, upto))
        if known is not None:
            return known
        base: torch.Tensor | None = None
        for function, arguments, keywords, out in self._calls[:upto]:

            def real(it: Any, base: torch.Tensor | None = base) -> Any:
                if isinstance(it, torch.device):
                    return torch.device("cpu")
                if not isinstance(it, Ref):
                    return it
                is_own = it.source is self and base is not None
                return _view(base, it) if is_own else it.value(made)

            arguments, keywords = pytree.tree_map(real, (arguments, keywords))
            filled = function(*arguments, **keywords)
            if base is None:
                base = torch.empty_strided(out.shape, out.strides, dtype=out.dtype, device="cpu")
                base.copy_(filled)
        if base is None:
            raise Unknown("its mask's values are not known")
        made[self, upto] = base
        return base


#: Storages by their calls, while one tensor's values are made.
_Made = dict[tuple[Steps, int], torch.Tensor]


def _view(base: Any, ref: Ref) -> torch.Tensor:
    made = torch.empty(0, dtype=ref.dtype, device="cpu")
    return made.set_(base.untyped_storage(), ref.offset, ref.shape, ref.strides)


def remember(fake: torch.Tensor, real: torch.Tensor) -> None:
    """Notes where the values of a fake tensor lie that are too many to be kept beside it."""
    if real.layout != torch.strided or real.numel() > LARGEST:
        return
    if real.untyped_storage().nbytes() != real.numel() * real.element_size():
        return  # a part of something larger, of which other parts may be asked for
    steps = Steps()
    # Copied when asked for, so never written to.
    steps.add(torch.Tensor.detach, (Ref(real, real, 0),), {}, fake)
    setattr(fake.untyped_storage(), _STEPS, steps)


def refer(tensor: torch.Tensor) -> Ref | None:
    """A tensor as it is now, if its values can be told."""
    if not isinstance(tensor, FakeTensor):
        return Ref(tensor, tensor, 0)
    if tensor.constant is not None:
        return Ref(tensor, tensor.constant, 0)
    if is_weight(tensor):
        return Ref(tensor, None, 0)
    steps = getattr(tensor.untyped_storage(), _STEPS, None)
    return None if steps is None else Ref(tensor, steps, len(steps))


def is_weight(tensor: torch.Tensor) -> bool:
    """Whether it is a parameter or a view of one."""
    base = tensor._base
    return isinstance(tensor if base is None else base, torch.nn.Parameter)


@contextlib.contextmanager
def really() -> Iterator[None]:
    """Within it tensors are computed on for real, unseen by any mode.

    **Errors** `Unknown` where that fails.
    """
    try:
        with Alone(), torch.no_grad():
            yield
    except (RuntimeError, TypeError, ValueError, IndexError) as error:
        if raised_by_handler(error):
            raise
        raise Unknown("its mask could not be made again") from error


def note_view(function: Any, arguments: Any, keywords: Any, out: Any) -> None:
    """Takes down a view of a tensor that the program holds by itself, which is no fake."""
    whole = arguments[0] if arguments else None
    if type(whole) is FakeTensor or not isinstance(whole, torch.Tensor):
        return
    if isinstance(out, FakeTensor) and not isinstance(whole, (FakeTensor, torch.nn.Parameter)):
        if whole.layout == torch.strided and whole.numel() <= LARGEST:
            with contextlib.suppress(Unknown), really():
                view = function(*arguments, **(keywords or {}))
                if view.shape == out.shape:
                    remember(out, view)


def fills(name: str) -> bool:
    """Whether an operator's results depend on no tensor's values."""
    return name in _FILLED or name in _FILLED_WITH or name in MAKERS


@functools.cache
def _facts(function: Any) -> tuple[str, bool, bool]:
    """An operator's name, whether it writes to its arguments, whether it draws numbers."""
    schema = function._schema
    is_random = torch.Tag.nondeterministic_seeded in function.tags
    return schema.name, schema.is_mutable, is_random


def note(function: Any, arguments: Any, keywords: Any, out: Any) -> None:
    """Takes down a call on fake tensors, if it fills one from what is known."""
    name, writes, is_random = _facts(function)
    if not isinstance(out, FakeTensor):
        if writes:  # to any of several
            for it in pytree.tree_leaves((arguments, keywords)):
                if isinstance(it, FakeTensor):
                    _forget(it)
        return
    first: Any = next((it for it in arguments if isinstance(it, FakeTensor)), None)
    fill = name in _FILLED or name in _FILLED_WITH
    if first is not None and not fill and _is_unknown(first):
        if writes:
            _forget(out)
        return
    if out.constant is not None or out.layout != torch.strided:
        return
    if out.numel() > LARGEST or is_random:
        if writes:
            _forget(out)
        return
    if fill:
        value = _FILLED.get(name)
        if value is None:
            at = _FILLED_WITH[name]
            value = arguments[at] if len(arguments) > at else (keywords or {}).get("fill_value")
        if isinstance(value, torch.Tensor):
            value = refer(value)
        size = math.prod(out.shape)
        if writes and size * out.element_size() < out.untyped_storage().nbytes():
            target = None if first is None else refer(first)
            refs: Any = (function, (target, *arguments[1:]), keywords or {})
            if target is None or value is None:
                _forget(out)
                return
        else:
            _forget(out)
            if value is None:
                return
            refs = (_full, (tuple(out.shape), value, out.dtype), {})
        _add(refs, out, of_weights=False)
        return
    found: list[Ref] = []

    def one(it: Any) -> Any:
        if not isinstance(it, torch.Tensor):
            return it
        ref = refer(it)
        if ref is None:
            raise Unknown
        found.append(ref)
        return ref

    try:
        known = pytree.tree_map(one, (arguments, keywords or {}))
    except Unknown:
        if writes:
            _forget(out)
        return
    if not found and name not in MAKERS:
        return
    of_weights = any(_is_of_weights(it) for it in found)
    if of_weights and name not in _OF_WEIGHTS:
        if writes:
            _forget(out)
        return
    _add((function, *known), out, of_weights=of_weights)


#: Makers of tensors from numbers: their values are known before anything runs.
MAKERS = {
    "aten::arange",
    "aten::linspace",
    "aten::zeros",
    "aten::ones",
    "aten::full",
    "aten::eye",
    "aten::scalar_tensor",
    "aten::tril_indices",
    "aten::triu_indices",
}


def _full(shape: tuple[int, ...], value: Any, dtype: torch.dtype) -> torch.Tensor:
    return torch.full((), value, dtype=dtype, device="cpu").expand(shape)


def _is_of_weights(ref: Ref) -> bool:
    return ref.is_weight or (isinstance(ref.source, Steps) and ref.source.is_of_weights)


def _is_unknown(tensor: FakeTensor) -> bool:
    return (
        tensor.constant is None
        and not hasattr(tensor.untyped_storage(), _STEPS)
        and not is_weight(tensor)
    )


def _add(call: Any, out: Any, *, of_weights: bool) -> None:
    storage = out.untyped_storage()
    steps = getattr(storage, _STEPS, None)
    if steps is None:
        steps = Steps()
        setattr(storage, _STEPS, steps)
    function, arguments, keywords = call
    steps.add(function, arguments, keywords, out)
    steps.is_of_weights |= of_weights


def _forget(tensor: torch.Tensor) -> None:
    storage = tensor.untyped_storage()
    if hasattr(storage, _STEPS):
        delattr(storage, _STEPS)
