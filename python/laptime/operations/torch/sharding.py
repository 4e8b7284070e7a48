"""Distributed tensors: what they try out to learn a result's shape is not the program's work.

At the first call of an operator with some shapes, a `DTensor` runs it once more on fake tensors, or
takes it apart to see how its result may be split. Past `unsee` no mode sees that, and the call
itself is counted once.
"""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

import torch

from ...world import Undo
from .isolation import Alone

#: Module, class and method of what tries operators out.
_TRIES = (
    ("_sharding_prop", "ShardingPropagator", "_propagate_tensor_meta_non_cached"),
    ("_decompositions", "DecompShardingStrategy", "propagate_strategy"),
)
_PACKAGE = "torch.distributed.tensor"


def unsee(undo: Undo) -> None:
    """Until the end, distributed tensors learn shapes where no mode sees it."""
    for module, owner, method in _TRIES:
        found = _class(module, owner)
        before = getattr(found, method, None)
        if before is not None:
            undo.put(found, method, _without_modes(before))


def _class(module: str, owner: str) -> Any:
    """A class of the package, where the program can have distributed tensors."""
    distributed: Any = torch.distributed
    if not (distributed.is_available() and distributed.is_initialized()):
        return None
    try:
        return getattr(importlib.import_module(f"{_PACKAGE}.{module}"), owner, None)
    except ImportError:  # of a version of torch that has it elsewhere
        return None


def _without_modes(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def tried(*arguments: Any, **keywords: Any) -> Any:
        with Alone():
            return method(*arguments, **keywords)

    return tried
