"""What is counted of a model that others have wrapped."""

from __future__ import annotations

import sys
from typing import Any

import torch

Note = tuple[str, str]


def unwrap(model: Any) -> tuple[Any, list[Note]]:
    """The model inside what compilers, exporters and parallel wrappers made of it, and notes."""
    notes: list[Note] = []
    while True:
        inner, note = _inner(model)
        if note is not None:
            notes.append(note)
        if inner is model:
            return model, notes
        model = inner


def _inner(model: Any) -> tuple[Any, Note | None]:
    compiled = getattr(model, "_orig_mod", None)
    if isinstance(compiled, torch.nn.Module):
        return compiled, None
    original = getattr(model, "_torchdynamo_orig_callable", None)
    if callable(original) and not isinstance(model, torch.nn.Module):
        return original, None
    if isinstance(model, torch.nn.DataParallel):
        return model.module, None
    parallel = sys.modules.get("torch.nn.parallel.distributed")
    if parallel is not None and isinstance(model, parallel.DistributedDataParallel):
        return model.module, (
            "gradients-not-reduced",
            "the all-reduce of gradients by DistributedDataParallel is not in the counts: "
            "the wrapped module was counted",
        )
    exported = sys.modules.get("torch.export")
    if exported is not None and isinstance(model, exported.ExportedProgram):
        return _unflattened(model), None
    return model, None


def _unflattened(program: Any) -> Any:
    """A program's modules where they can be had, else its graph as one module."""
    try:
        from torch.export.unflatten import unflatten

        return unflatten(program)
    except Exception:
        return program.module()
