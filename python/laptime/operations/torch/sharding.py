"""Distributed tensors: what they try out to learn a result's shape is not the program's work.

At the first call of an operator with some shapes, a `DTensor` runs it once more on fake tensors, or
takes it apart to see how its result may be split. Past `unsee` no mode sees that, and the call
itself is counted once.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
from collections.abc import Callable
from typing import Any

import torch

from ...world import Layer, Undo
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
        if getattr(found, method, None) is not None:
            layer = undo.layer(found, method)
            layer.put(_without_modes(layer))


def _class(module: str, owner: str) -> Any:
    """A class of the package, where the program can have distributed tensors."""
    distributed: Any = torch.distributed
    if not (distributed.is_available() and distributed.is_initialized()):
        return None
    try:
        return getattr(importlib.import_module(f"{_PACKAGE}.{module}"), owner, None)
    except ImportError:  # of a version of torch that has it elsewhere
        return None


def _without_modes(layer: Layer) -> Callable[..., Any]:
    method = layer.below

    @functools.wraps(method)
    def tried(*arguments: Any, **keywords: Any) -> Any:
        with Alone() if layer.is_on else contextlib.nullcontext():
            return method(*arguments, **keywords)

    return tried
