"""What a mask leaves of attention: scores are followed from their product to the one with values.

A kernel of attention says by its arguments whether it is causal; a mask's tensor it is only handed.
Attention in parts (the math path, eager attention, a model's own) is a product, masks that are
added or filled in, a softmax, another product. A product's output is followed through these by a
note on its storage; where the second product comes, both are told what the masks leave, and so are
the products of their gradients. What counts as left is every score that no mask lowers to -inf or
to what programs put in its place, -1e4 and below.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch

from . import origins
from .origins import Unknown

if TYPE_CHECKING:
    from ..._core import TakenOp
    from .mode import Counting

#: Where scores are followed by: on their storage, so that views share it.
_NOTE = "_laptime_scores"
#: What is added to a score that is masked, or more.
_LOWEST = -1e4

_UNKNOWN = "its mask's values are not known"


class Mask:
    """Which scores are left, as far as that is known."""

    __slots__ = ("_is_kept", "_ref", "shape", "why")

    def __init__(
        self, tensor: torch.Tensor, is_kept: Callable[[torch.Tensor], torch.Tensor], shape: Any
    ) -> None:
        self._ref = origins.refer(tensor)
        self._is_kept = is_kept
        #: The scores' when it was put on them.
        self.shape = tuple(shape)
        self.why = _UNKNOWN if self._ref is None else None

    @property
    def is_a_weight(self) -> bool:
        """Whether it is learned, and so masks nothing."""
        return self._ref is not None and self._ref.is_weight

    @property
    def key(self) -> tuple[Any, ...] | None:
        """What tells it from others, if that stays as it is."""
        key = None if self._ref is None else self._ref.key
        return None if key is None else (key, self._is_kept, self.shape)

    def left(self) -> torch.Tensor:
        """`True` for each score that is left, dimensions that only repeat being 1."""
        if self._ref is None:
            raise Unknown(self.why)
        found = self._ref.value({})
        for dim, stride in enumerate(found.stride()):
            if stride == 0:
                found = found.narrow(dim, 0, min(1, found.shape[dim]))
        return self._is_kept(found)


def _truths(values: torch.Tensor) -> torch.Tensor:
    return values.bool()


def _untruths(values: torch.Tensor) -> torch.Tensor:
    return ~values.bool()


def _high(values: torch.Tensor) -> torch.Tensor:
    if values.dtype == torch.bool:
        return values
    return values > _LOWEST


class Scores:
    """What stands on the storage of scores, or of what a softmax made of them."""

    __slots__ = ("is_told", "masks", "products", "shares", "why")

    def __init__(self, products: list[Product]) -> None:
        self.products = products
        self.masks: tuple[Mask, ...] = ()
        #: Why what the masks leave isn't known.
        self.why: str | None = None
        #: Whether a softmax was taken: shares of values then.
        self.shares: Left | None = None

    def masked(self, *masks: Mask) -> Scores:
        """The scores with more masks."""
        made = Scores(self.products)
        made.masks = (*self.masks, *masks)
        made.why = self.why
        return made


class Left:
    """What all masks leave of scores: so many of so many, or nobody knows and why."""

    __slots__ = ("active", "all", "why")

    def __init__(self, active: int = 1, all: int = 1, why: str | None = None) -> None:
        self.active = active
        self.all = all
        self.why = why

    @classmethod
    def by(cls, masks: tuple[Mask, ...]) -> Left:
        """By these masks together."""
        try:
            with origins.really():
                return cls._by(masks)
        except Unknown as unknown:
            return cls(why=str(unknown) or _UNKNOWN)

    @classmethod
    def _by(cls, masks: tuple[Mask, ...]) -> Left:
        kept = [(mask.shape, mask.left()) for mask in masks if not mask.is_a_weight]
        kept = [(shape, left) for shape, left in kept if not bool(left.all())]
        if not kept:
            return cls()
        first, together = kept[0]
        for shape, left in kept[1:]:
            together = together & (left if shape == first else _plane(left, shape, first))
        return cls(int(together.sum()), together.numel())


def _plane(left: torch.Tensor, shape: Any, other: Any) -> torch.Tensor:
    """A mask of all sequences and heads alike, for scores in which these stand otherwise."""
    rows = left.shape[-2:]
    if shape[-2:] != other[-2:] or math.prod(left.shape) != math.prod(rows):
        raise Unknown("its masks are of scores in different shapes")
    return left.reshape(rows)


class Product:
    """A product that was counted, and the node of its gradients."""

    __slots__ = ("is_told", "node", "taken")

    def __init__(self, taken: TakenOp, node: int | None) -> None:
        self.taken = taken
        self.node = node
        self.is_told = False


class Attention:
    """Follows scores while a program is counted."""

    def __init__(self, mode: Counting) -> None:
        self._mode = mode
        #: By operator.
        self._steps: dict[Any, Callable[[Attention, _Call], None] | None] = {}
        #: By the number of a node: what is left of the products in it.
        self._nodes: dict[int, Left] = {}
        #: By masks that were met before: every layer has the same.
        self._known: dict[tuple[Any, ...], Left] = {}

    def see(self, function: Any, arguments: Any, keywords: Any, out: Any) -> None:
        """A call that was counted."""
        try:
            step = self._steps[function]
        except KeyError:
            step = self._steps[function] = _STEPS.get(function._schema.name)
        if step is not None:
            step(self, _Call(function, arguments, keywords or {}, out))

    def product(self, call: _Call) -> None:
        """A product: of queries and keys, of shares and values, of gradients, or of anything."""
        taken = self._mode.taken()
        if taken is None:
            return
        product = Product(taken, self._node(call))
        at = self._mode.node()
        if at is not None and at in self._nodes:
            self._tell(product, self._nodes[at])
            return
        operands = [call.get(name) for name in ("self", "mat2", "batch1", "batch2", "mat1")]
        operands = [it for it in operands if isinstance(it, torch.Tensor)]
        added = call.get("self") if call.get("batch2") is not None or "mat1" in call else None
        for operand in operands:
            note = _note(operand)
            if note is not None and note.shares is not None and operand is not added:
                for one in (*note.products, product):
                    self._tell(one, note.shares)
                return
        if any(origins.is_weight(it) for it in operands if it is not added):
            return
        scores = Scores([product])
        if added is not None and call.get("beta", 1) != 0:
            scores = scores.masked(Mask(added, _high, call.out.shape))
        _follow(call.out, scores)

    def kernel(self, call: _Call) -> None:
        """Attention in one call, or its gradient."""
        taken = self._mode.taken()
        mask = next((it for name in _MASKS if (it := call.get(name)) is not None), None)
        if taken is None or not isinstance(mask, torch.Tensor):
            return
        left = self._left((Mask(mask, _high, mask.shape),))
        if left.why is None and left.active == left.all:
            return
        if call.get("is_causal") or call.get("custom_mask_type"):
            left = Left(why="it has a mask and is causal besides")
        self._tell(Product(taken, None), left)

    def softmax(self, call: _Call) -> None:
        """Scores become shares of values."""
        note = _note(call.get("self"))
        if note is None or note.shares is not None:
            return
        masks, why = note.masks, note.why
        if (mask := call.get("mask")) is not None:  # of `_masked_softmax`
            masks = (*masks, Mask(mask, _untruths, mask.shape))
        left = self._left(masks) if why is None else Left(why=why)
        made = Scores(note.products)
        made.shares = left
        if left.why is None:
            for product in note.products:
                self._tell(product, left)
        _follow(call.out, made)

    def added(self, call: _Call) -> None:
        """A mask or a bias is added, or scores that were computed in two parts."""
        one, other = call.get("self"), call.get("other")
        note, second = _note(one), _note(other)
        if note is None:
            note, second, one, other = second, None, other, one
        if note is None:
            return
        if second is not None and second.shares is None and note.shares is None:
            both = Scores([*note.products, *second.products]).masked(*note.masks, *second.masks)
            both.why = note.why or second.why
            _follow(call.out, both)
        elif note.shares is not None or _is_for_rows(other, call.out):
            _follow(call.out, note)
        else:
            _follow(call.out, note.masked(Mask(other, _high, call.out.shape)))

    def filled(self, call: _Call) -> None:
        """Scores are replaced where a mask says so."""
        note = _note(call.get("self"))
        if note is None:
            return
        if note.shares is None and _is_lowest(call.get("value")):
            note = note.masked(Mask(call.get("mask"), _untruths, call.out.shape))
        _follow(call.out, note)

    def chosen(self, call: _Call) -> None:
        """Scores where a condition holds, something else elsewhere."""
        condition = call.get("condition")
        for name, other, is_kept in (("self", "other", _truths), ("other", "self", _untruths)):
            note = _note(call.get(name))
            if note is None:
                continue
            lowest = _is_lowest(call.get(other))
            if note.shares is None and lowest is not False:
                note = note.masked(Mask(condition, is_kept, call.out.shape))
                if lowest is None:
                    note.why = _UNKNOWN
            _follow(call.out, note)
            return

    def changed(self, call: _Call) -> None:
        """Every score is changed alike, or only kept elsewhere."""
        found = call.get("self")
        note = _note(found)
        if note is None:
            note = _note(call.get("other"))
        if note is None and isinstance(tensors := call.get("tensors"), (list, tuple)):
            note = next((it for it in map(_note, tensors) if it is not None), None)
        if note is not None:
            _follow(call.out, note)

    def _left(self, masks: tuple[Mask, ...]) -> Left:
        key = tuple(mask.key for mask in masks)
        if None in key:
            return Left.by(masks)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = Left.by(masks)
        return found

    def _tell(self, product: Product, left: Left) -> None:
        if product.is_told:
            return
        product.is_told = True
        if product.node is not None:
            self._nodes[product.node] = left
        if left.why is not None:
            product.taken.is_dense(left.why)
        elif left.active != left.all:
            product.taken.leaves(left.active, left.all)

    def _node(self, call: _Call) -> int | None:
        """The number of the node that computes a product's gradients, if somebody wants them."""
        tensors = (it for it in call.arguments if isinstance(it, torch.Tensor))
        if torch.is_grad_enabled() and any(it.requires_grad for it in tensors):
            engine: Any = torch._C._autograd  # type: ignore[attr-defined]
            return int(engine._get_sequence_nr()) - 1
        return None


class _Call:
    """A call, its arguments by name."""

    __slots__ = ("_names", "arguments", "keywords", "out")

    def __init__(self, function: Any, arguments: Any, keywords: Any, out: Any) -> None:
        self._names = function._schema.arguments
        self.arguments = arguments
        self.keywords = keywords
        several: Any = out
        self.out: Any = several[0] if isinstance(out, (tuple, list)) and out else out

    def __contains__(self, name: str) -> bool:
        return any(argument.name == name for argument in self._names)

    def get(self, name: str, default: Any = None) -> Any:
        """The argument of a name."""
        for argument, value in zip(self._names, self.arguments):
            if argument.name == name:
                return value
        return self.keywords.get(name, default)


def _note(tensor: Any) -> Scores | None:
    if not isinstance(tensor, torch.Tensor) or tensor.layout != torch.strided:
        return None
    return getattr(tensor.untyped_storage(), _NOTE, None)


def _follow(tensor: Any, note: Scores) -> None:
    if isinstance(tensor, torch.Tensor) and tensor.layout == torch.strided:
        setattr(tensor.untyped_storage(), _NOTE, note)


def _is_for_rows(added: Any, scores: torch.Tensor) -> bool:
    """Whether what is added is the same for all keys, so that it masks none of them."""
    if not isinstance(added, torch.Tensor) or added.dim() == 0:
        return True
    return added.shape[-1] == 1 and scores.shape[-1] != 1


def _is_lowest(value: Any) -> bool | None:
    """Whether it masks a score that it replaces; `None` where that isn't known."""
    if isinstance(value, torch.Tensor):
        ref = origins.refer(value)
        if ref is None:
            return None
        try:
            with origins.really():
                return bool((ref.value({}) <= _LOWEST).all())
        except Unknown:
            return None
    return value <= _LOWEST


_MASKS = ("attn_mask", "attn_bias", "bias")

PRODUCTS = {"aten::mm", "aten::bmm", "aten::baddbmm", "aten::addmm"}
#: In all their kernels, forward and backward.
KERNELS = {
    "aten::scaled_dot_product_attention",
    "aten::_scaled_dot_product_efficient_attention",
    "aten::_scaled_dot_product_efficient_attention_backward",
    "aten::_scaled_dot_product_cudnn_attention",
    "aten::_scaled_dot_product_cudnn_attention_backward",
    "aten::_scaled_dot_product_flash_attention_for_cpu",
    "aten::_scaled_dot_product_flash_attention_for_cpu_backward",
    "aten::_scaled_dot_product_fused_attention_overrideable",
    "aten::_scaled_dot_product_fused_attention_overrideable_backward",
    "aten::_efficient_attention_forward",
    "aten::_efficient_attention_backward",
}

_STEPS: dict[str, Callable[[Attention, _Call], None]] = {
    **dict.fromkeys(PRODUCTS, Attention.product),
    **dict.fromkeys(KERNELS, Attention.kernel),
    **dict.fromkeys(
        ("aten::_softmax", "aten::_safe_softmax", "aten::_masked_softmax", "aten::softmax"),
        Attention.softmax,
    ),
    **dict.fromkeys(("aten::add", "aten::add_", "aten::sub", "aten::sub_"), Attention.added),
    **dict.fromkeys(("aten::masked_fill", "aten::masked_fill_"), Attention.filled),
    "aten::where": Attention.chosen,
    **dict.fromkeys(
        (
            "aten::mul",
            "aten::mul_",
            "aten::div",
            "aten::div_",
            "aten::tanh",
            "aten::clamp",
            "aten::_to_copy",
            "aten::clone",
            "aten::cat",
            "aten::native_dropout",
            "aten::dropout",
            "aten::nan_to_num",
            "aten::exp",
        ),
        Attention.changed,
    ),
}
