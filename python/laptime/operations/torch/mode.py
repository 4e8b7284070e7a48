"""The dispatch mode that sees every operator.

What happens at each call is `laptime._core.TorchDispatch`'s; here is what happens once for an
operator, and the few that need more than being run.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import torch
from torch._subclasses.fake_tensor import (
    FakeTensor,
    FakeTensorMode,
    unset_fake_temporarily,
)
from torch.utils._python_dispatch import TorchDispatchMode

from ..._core import Feed, OpCounts, Shape, TorchDispatch, has_formula, raised_by_handler
from . import collective, higher_order
from .fakes import KEPT, values, with_values
from .recall import Made, Recall, is_recalled
from .stage import Stage

#: Questions about tensors, and the profiler's own marks.
_QUESTIONS = {
    "aten::sym_is_contiguous",
    "aten::is_contiguous",
    "aten::is_strides_like_format",
    "aten::is_non_overlapping_and_dense",
    "aten::size",
    "aten::sym_size",
    "aten::stride",
    "aten::sym_stride",
    "aten::storage_offset",
    "aten::sym_storage_offset",
    "aten::numel",
    "aten::sym_numel",
    "aten::dim",
    "aten::_local_scalar_dense",
    "aten::is_pinned",
    "aten::is_same_size",
    "aten::_nested_tensor_size",
    "aten::_nested_tensor_strides",
    "aten::_nested_tensor_storage_offsets",
    "aten::_nnz",
    "aten::sparse_dim",
    "aten::dense_dim",
    "aten::is_coalesced",
    "aten::record_stream",
    "aten::q_scale",
    "aten::q_zero_point",
    "aten::qscheme",
}

#: Arguments that say where each sequence begins and ends.
_OFFSETS = {"cum_seq_q", "cum_seq_k", "cu_seqlens_q", "cu_seqlens_k"}


#: Makers of tensors from numbers: their values are known before anything runs.
_MAKERS = {
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


class Counting(TorchDispatch, TorchDispatchMode):
    """Counts what runs within it."""

    supports_higher_order_operators = True

    def __new__(
        cls, feed: Feed, fake_mode: FakeTensorMode | None = None, stage: Stage | None = None
    ) -> Counting:
        tells = stage is not None and stage.fake_mode is None
        return super().__new__(cls, torch, feed, tells, fake_mode)

    def __init__(
        self, feed: Feed, fake_mode: FakeTensorMode | None = None, stage: Stage | None = None
    ) -> None:
        TorchDispatchMode.__init__(self)
        self.feed = feed
        self.stage = stage
        self.fake_mode = fake_mode
        self.in_optimizer = False
        #: What the program's own code is to run under.
        self.over: Callable[[], contextlib.AbstractContextManager[None]] = contextlib.nullcontext
        self._recall = Recall(fake_mode)

    def meet(self, function: Any) -> tuple[str, str, list[str], bool, str, Any, bool, bool]:
        """An operator's signature, how its calls are met, whether it writes, and whether what it
        made is made again."""
        schema = getattr(function, "_schema", None)
        if schema is None:
            name, names = higher_order.signature(function)
            return name, "", names, False, "ask", function, False, False
        names = [argument.name for argument in schema.arguments]
        if collective.lacks_ranks(schema.name, names):
            names.append(collective.RANKS)
        route = self._route(function, schema.name)
        return (
            schema.name,
            schema.overload_name,
            names,
            bool(function.is_view),
            route,
            getattr(function, "_op", function),
            self.stage is not None and bool(schema.is_mutable),
            self.fake_mode is not None and route == "count" and is_recalled(function),
        )

    def described(self, function: Any, arguments: tuple[Any, ...], out: Any) -> Made | None:
        """What a call made, so that it can be made again."""
        return self._recall.described(function, arguments, out)

    def guard(self, function: Any, arguments: tuple[Any, ...], keywords: Any) -> None:
        """Sees to it that an operator writes to nothing that was there before the count."""
        stage = self.stage
        if stage is None:
            return
        for index, argument in enumerate(function._schema.arguments):
            if argument.is_write:
                if index < len(arguments):
                    stage.refuse(arguments[index])
                else:
                    stage.refuse((keywords or {}).get(argument.name))

    def made(self, function: Any, out: Any) -> None:
        """What an operator of a real run returned: the count's, unless it was passed."""
        if self.stage is None:
            return
        schema = getattr(function, "_schema", None)
        if schema is None or not schema.is_mutable:
            self.stage.made(out)
            return
        outputs = out if isinstance(out, tuple) else (out,)
        for returned, output in zip(schema.returns, outputs):
            if returned.alias_info is None:
                self.stage.made(output)

    def _route(self, function: Any, name: str) -> str:
        if name == "prim::device":
            return "device"
        if name == "aten::_local_scalar_dense":
            return "ask" if self.fake_mode is not None else "run"
        if name in _QUESTIONS or name.startswith(("prim::", "profiler::")):
            return "run"
        if name in _MAKERS and self.fake_mode is not None:
            return "ask"
        if has_formula(name):
            return "count"
        names = [argument.name for argument in function._schema.arguments]
        if not _OFFSETS.isdisjoint(names) or collective.lacks_ranks(name, names):
            return "ask"
        return "ask" if function._can_decompose() else "count"

    def wraps(self, kind: type) -> bool:
        """Whether a class of tensors wraps others, and runs its own operators on them."""
        if issubclass(kind, FakeTensor) or kind in (torch.Tensor, torch.nn.Parameter):
            return False
        own, none = (getattr(it, "__torch_dispatch__", None) for it in (kind, torch.Tensor))
        return own is not None and own is not none

    def handle(self, function: Any, arguments: tuple[Any, ...], keywords: Any) -> Any:
        """Runs an operator that needs more."""
        keywords = keywords or {}
        if not hasattr(function, "_schema"):
            with self.over():  # bodies are the program's
                return higher_order.handle(self, function, arguments, keywords)
        name = function._schema.name
        if name == "aten::_local_scalar_dense":
            return self._item(function, arguments)
        if name in _MAKERS:
            out = function(*arguments, **keywords)
            self._keep(function, arguments, keywords, out)
            self.record(function, arguments, keywords, out)
            return out
        out = NotImplemented
        # Nested tensors have kernels of their own where others are decomposed.
        if not any(_is_nested(argument) for argument in arguments):
            with self:
                out = function.decompose(*arguments, **keywords)
        if out is NotImplemented:
            out = function(*arguments, **keywords)
            self.record(function, *completed(function._schema, arguments, keywords), out)
        return out

    def parts(self, function: Any, arguments: tuple[Any, ...], keywords: Any, out: Any) -> bool:
        """Counts a call with nested tensors one part at a time, if that can be done."""
        counts = {len(it.unbind()) for it in arguments if _is_nested(it)}
        if not counts and _is_nested(out):
            self.record(function, arguments, keywords, list(out.unbind()))
            return True
        if len(counts) != 1 or not _is_nested(out) or _is_nested(list((keywords or {}).values())):
            return False
        for index in range(counts.pop()):
            part = tuple(it.unbind()[index] if _is_nested(it) else it for it in arguments)
            self.record(function, part, keywords, out.unbind()[index])
        return True

    def _item(self, function: Any, arguments: tuple[Any, ...]) -> Any:
        try:
            return function(*arguments)
        except Exception as error:
            # How many steps an optimizer has taken decides no shape.
            if self.in_optimizer and arguments[0].is_floating_point():
                if not raised_by_handler(error):
                    return 1.0
            raise

    def _keep(
        self, function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], out: Any
    ) -> None:
        """Keeps the values of a small tensor that was made from numbers."""
        mode = self.fake_mode
        if mode is None or not isinstance(out, FakeTensor) or out.constant is not None:
            return
        if out.device.type != "cpu" or out.numel() > KEPT or out.requires_grad:
            return
        with unset_fake_temporarily():
            with_values(mode, out, function(*arguments, **keywords))

    def describe(self, tensor: torch.Tensor) -> Shape | None:
        """A tensor that has no strides: sparse, or with sizes that depend on data."""
        sizes = [size for size in tensor.shape if isinstance(size, int)]
        if len(sizes) != tensor.dim():
            return None
        stored: int | None = None
        if tensor.layout == torch.sparse_coo:
            stored = tensor._nnz() * _product(sizes[tensor.sparse_dim() :])
        elif tensor.layout != torch.strided and tensor.layout != torch._mkldnn:  # type: ignore[attr-defined]
            stored = tensor.values().numel()
        dtype = str(tensor.dtype)
        return Shape(sizes, dtype, needs_grad=tensor.requires_grad, stored=stored)

    def alone(self, run: Callable[[], Any]) -> OpCounts:
        """What a function costs on its own."""
        feed = Feed()
        before = self.swap_feed(feed)
        try:
            with self:
                run()
        finally:
            self.swap_feed(before)
        return feed.finish()


def _is_nested(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.is_nested


def completed(
    schema: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments with what formulas need besides: offsets as numbers, how many ranks take part."""
    arguments, keywords = _lengths(schema.arguments, arguments, keywords)
    if "c10d" in schema.name.split("::")[0]:
        ranks = collective.ranks(schema, arguments, keywords)
        keywords = {collective.RANKS: ranks, **keywords}
    return arguments, keywords


def _lengths(
    schema: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any]]:
    """Arguments with the offsets of sequences as numbers, where they are known."""
    names = [argument.name for argument in schema]

    def known(name: str, value: Any) -> Any:
        found = values(value) if name in _OFFSETS and value is not None else None
        if found is None:
            return value
        with unset_fake_temporarily():
            return found.tolist()

    return (
        tuple(known(name, value) for name, value in zip(names, arguments)),
        {name: known(name, value) for name, value in keywords.items()},
    )


def _product(sizes: list[int]) -> int:
    product = 1
    for size in sizes:
        product *= size
    return product
