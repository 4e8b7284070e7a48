"""Fakes that outlive their count: in what a library remembers, where no walk came by.

Every fake holds a share of its class, so the class's count of references tells whether one is
left, at no cost. Only then they are looked for. Whatever holds one got it within the count: a
function that remembers calls forgets them, entries and elements are taken out.
"""

from __future__ import annotations

import functools
import gc
import sys
from typing import Any

from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode

#: What may stand between a fake and what holds it: tuples in tuples.
_DEPTH = 3
_REMEMBERS = type(functools.lru_cache(len))


class Survivors:
    """The fakes of a count that are there after it."""

    def __init__(self) -> None:
        self._before = sys.getrefcount(FakeTensor)
        #: What makes the count's fakes, where nothing else was made by it.
        self.fake_mode: FakeTensorMode | None = None

    def forget(self) -> None:
        """Takes out what is left."""
        if self.fake_mode is None or sys.getrefcount(FakeTensor) <= self._before:
            return
        fakes = (one for one in gc.get_objects() if type(one) is FakeTensor)
        _take_out([one for one in fakes if one.fake_mode is self.fake_mode], _DEPTH)


def _take_out(values: list[Any], depth: int) -> None:
    if not values or not depth:
        return
    sought = set(map(id, values))
    tuples: list[Any] = []
    for holder in gc.get_referrers(*values):
        if holder is values:
            continue
        if type(holder) is _REMEMBERS:
            holder.cache_clear()
        elif isinstance(holder, dict):
            for key in [key for key, value in holder.items() if id(value) in sought]:
                del holder[key]
        elif isinstance(holder, list):
            holder[:] = [value for value in holder if id(value) not in sought]
        elif isinstance(holder, set):
            holder.difference_update(value for value in list(holder) if id(value) in sought)
        elif type(holder) is tuple:
            tuples.append(holder)
    _take_out(tuples, depth - 1)
