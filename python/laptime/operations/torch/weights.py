"""Models without weights: built on fake tensors, which have shapes and no memory."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch

from ..._core import Feed
from .copies import real_ones_copied, shapes, teach
from .fakes import values_kept
from .lazy_modules import without_memory
from .mode import Counting


@contextlib.contextmanager
def no_weights() -> Iterator[Any]:
    """Within it tensors are fake; small ones that are made from numbers keep their values."""
    teach(setattr)
    fake_mode = shapes()
    with contextlib.ExitStack() as within:
        for one in (_unfilled(), values_kept(), real_ones_copied(), without_memory()):
            within.enter_context(one)
        within.enter_context(torch.random.fork_rng(devices=[]))
        with fake_mode, Unweighted(Feed(), fake_mode):
            yield fake_mode


#: What fills weights at random; some of it draws until every value is in its bounds.
_FILL = ("_no_grad_trunc_normal_", "_no_grad_normal_", "_no_grad_uniform_")


@contextlib.contextmanager
def _unfilled() -> Iterator[None]:
    """Within it, weights that have no memory are not drawn."""
    init: Any = torch.nn.init
    before = {name: getattr(init, name) for name in _FILL if hasattr(init, name)}
    for name in before:
        setattr(init, name, lambda tensor, *_, **__: tensor)
    try:
        yield
    finally:
        for name, function in before.items():
            setattr(init, name, function)


class Unweighted(Counting):
    """Sees to the values of small tensors. What it counts nobody asks for."""

    def meet(self, function: Any) -> tuple[str, str, list[str], bool, str, Any, bool, bool]:
        name, overload, names, is_view, route, call, writes, _ = super().meet(function)
        route = "run" if route == "count" else route
        return name, overload, names, is_view, route, call, writes, False
