"""A model that others call: what it holds is afterwards what it was, its modes too.

Attributes of every module, the lists, dictionaries and sets in them, dataclasses, tensors and
arrays. Objects of other classes are kept as such, and not looked into: behind them stands the
program.
"""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import is_dataclass
from types import SimpleNamespace
from typing import Any, cast

from .tensors import TensorWorld

#: Of these, and of no class that is made of them.
_CONTAINERS = (dict, OrderedDict, defaultdict, Counter, list, deque, set, SimpleNamespace)


class ModelWorld(TensorWorld):
    """What a model holds, and how to put it back. Without a model, all but that."""

    def __init__(self, model: Any) -> None:
        torch: Any = sys.modules.get("torch")
        tensor: Any = getattr(torch, "Tensor", None)
        module: Any = getattr(getattr(torch, "nn", None), "Module", None)
        array: Any = getattr(sys.modules.get("numpy"), "ndarray", None)
        classes = tuple(it for it in (tuple, module, tensor, array, type(model)) if it is not None)
        super().__init__(enters=lambda kind: _is_entered(kind, classes))
        if model is None:
            return
        self.state.reach([("", model)])
        self.keep_contents()


def _is_entered(kind: type, classes: tuple[type, ...]) -> bool:
    """Whether objects of a class are the model's own."""
    return any(kind is it for it in _CONTAINERS) or issubclass(kind, classes) or is_dataclass(kind)


@contextmanager
def evaluating(model: Any) -> Generator[None]:
    """Evaluation mode for models that have modes; each module gets its own back.

    Not by `eval()`: what a class of its own does there, only a `ModelWorld` undoes.
    """
    listed = getattr(model, "modules", None)
    if not (callable(listed) and callable(getattr(model, "eval", None))):
        yield
        return
    before = [(module, module.training) for module in cast("Iterator[Any]", listed())]
    try:
        for module, _ in before:
            module.training = False
        yield
    finally:
        for module, mode in before:
            module.training = mode
