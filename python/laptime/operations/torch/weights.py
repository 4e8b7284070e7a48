"""Models without weights: built on fake tensors, which have shapes and no memory."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from ..._core import Feed
from .mode import Counting


@contextlib.contextmanager
def no_weights() -> Iterator[Any]:
    """Within it tensors are fake; small ones that are made from numbers keep their values."""
    fake_mode = FakeTensorMode(allow_non_fake_inputs=True)
    with fake_mode, Unweighted(Feed(), fake_mode), torch.random.fork_rng(devices=[]):
        yield fake_mode


class Unweighted(Counting):
    """Sees to the values of small tensors. What it counts nobody asks for."""

    def meet(self, function: Any) -> tuple[str, str, list[str], bool, str, Any]:
        name, overload, names, is_view, route, call = super().meet(function)
        return name, overload, names, is_view, "run" if route == "count" else route, call
