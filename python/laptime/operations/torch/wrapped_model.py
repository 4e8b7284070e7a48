"""What is counted of a model that others have wrapped."""

from __future__ import annotations

import sys
from typing import Any

import torch

from ..._core import raised_by_handler


def unwrap(model: Any) -> tuple[Any, int]:
    """The model inside what compilers, exporters and parallel wrappers made of it.

    Also the number of ranks among which its gradients are reduced.
    """
    ranks = 1
    while True:
        parallel = sys.modules.get("torch.nn.parallel.distributed")
        if parallel is not None and isinstance(model, parallel.DistributedDataParallel):
            ranks = int(model.process_group.size())
        inner = _inner(model, parallel)
        if inner is model:
            return model, ranks
        model = inner


def _inner(model: Any, parallel: Any) -> Any:
    compiled = getattr(model, "_orig_mod", None)
    if isinstance(compiled, torch.nn.Module):
        return compiled
    original = getattr(model, "_torchdynamo_orig_callable", None)
    if callable(original) and not isinstance(model, torch.nn.Module):
        return original
    if isinstance(model, torch.nn.DataParallel):
        return model.module
    if parallel is not None and isinstance(model, parallel.DistributedDataParallel):
        return model.module
    exported = sys.modules.get("torch.export")
    if exported is not None and isinstance(model, exported.ExportedProgram):
        return _unflattened(model)
    return model


def _unflattened(program: Any) -> Any:
    """A program's modules where they can be had, else its graph as one module."""
    try:
        from torch.export.unflatten import unflatten

        return unflatten(program)
    except Exception as error:
        if raised_by_handler(error, own=False):
            raise
        return program.module()
