"""A model is after a measurement what it was before: to the object, also when a call raises."""

from __future__ import annotations

import sys
from contextlib import contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from ..world.model import ModelWorld, evaluating

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

#: Tensors that a sentence names.
_MOST_NAMED = 3


def module_of(model: Any) -> Any:
    """The PyTorch module that is called, or whose method is; None where there is none."""
    while isinstance(model, partial):
        model = cast("Any", model).func
    for one in (model, getattr(model, "__self__", None)):
        listed, evaluates = getattr(one, "modules", None), getattr(one, "eval", None)
        if callable(listed) and callable(evaluates) and not isinstance(one, type):
            return one
    return None


@contextmanager
def undisturbed(module: Any) -> Generator[list[str]]:
    """Evaluation mode; then the model, random numbers and the environment are as before.

    The list that it gives says afterwards what of the model couldn't be put back.
    """
    lost: list[str] = []
    world = ModelWorld(module)
    try:
        with world, evaluating(module):
            if module is not None:
                module.eval()
            yield lost
    finally:
        lost += [*lost_weights(world.contents.lost), *world.state.failed()]


def complete(module: Any, call: Callable[[], Any]) -> None:
    """Has the parameters of lazy modules made, by a first call: it isn't measured, and they stay.

    In inference mode they would be made unfit for training.
    """
    torch: Any = sys.modules.get("torch")
    is_lazy = getattr(getattr(getattr(torch, "nn", None), "parameter", None), "is_lazy", None)
    if module is None or is_lazy is None or not any(map(is_lazy, module.parameters())):
        return
    with evaluating(module), torch.no_grad():
        call()


def without_gradients() -> Any:
    """Inference mode. What is made in it is no use for training: nothing is put back there."""
    torch: Any = sys.modules.get("torch")
    return nullcontext() if torch is None else torch.inference_mode()


def with_ordinary_tensors() -> Any:
    """No inference mode, so that tensors that are made are as the program's own."""
    torch: Any = sys.modules.get("torch")
    return nullcontext() if torch is None else torch.inference_mode(False)


def lost_weights(names: list[str]) -> list[str]:
    """That tensors are not what they were."""
    if not names:
        return []
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return [
        f"The model changes its weights when it is called: {', '.join(names[:_MOST_NAMED])}{more} "
        "can't be put back, as the model is too large to keep a copy of it. "
        "Load it again before you go on with it."
    ]
