"""A model is after a measurement what it was before: to the object, also when a call raises."""

from __future__ import annotations

import random
import sys
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from ..device import kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator

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
def evaluating(model: Any) -> Generator[None]:
    """Evaluation mode for models that have modes; each module gets its own back."""
    listed = getattr(model, "modules", None)
    if not (callable(listed) and callable(getattr(model, "eval", None))):
        yield
        return
    before = [(module, module.training) for module in cast("Iterator[Any]", listed())]
    model.eval()
    try:
        yield
    finally:
        for module, mode in before:
            module.training = mode


@contextmanager
def undisturbed(module: Any) -> Generator[list[str]]:
    """Evaluation mode; then the model and random numbers are as before.

    The list that it gives says afterwards what of the model couldn't be put back.
    """
    torch: Any = sys.modules.get("torch")
    lost: list[str] = []
    with ExitStack() as stack:
        stack.enter_context(_random_kept(torch))
        if module is not None:
            stack.enter_context(_state_kept(module, torch, lost))
            stack.enter_context(evaluating(module))
        yield lost


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


def random_kept_on(device: Any) -> Any:
    """The state of a device's random numbers, which is in use, put back afterwards."""
    kind = kind_of(device)
    if kind == "cpu":
        return nullcontext()
    torch: Any = sys.modules["torch"]
    ask = getattr(getattr(torch, kind, None), "get_rng_state", None)
    if ask is None:
        return nullcontext()
    return torch.random.fork_rng(devices=[device], device_type=kind)


@contextmanager
def _random_kept(torch: Any) -> Generator[None]:
    numpy: Any = getattr(sys.modules.get("numpy"), "random", None)
    before = random.getstate(), numpy and numpy.get_state()
    try:
        with nullcontext() if torch is None else torch.random.fork_rng(devices=[]):
            yield
    finally:
        random.setstate(before[0])
        if numpy is not None:
            numpy.set_state(before[1])


@contextmanager
def _state_kept(module: Any, torch: Any, lost: list[str]) -> Generator[None]:
    """Whatever the model holds is put back. What can't be is said in `lost`."""
    from ._state import State

    state = State(module, torch)
    try:
        yield
    finally:
        lost += _said(state.put_back())


def _said(names: list[str]) -> list[str]:
    """That tensors are not what they were."""
    if not names:
        return []
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return [
        f"The model changes its weights when it is called: {', '.join(names[:_MOST_NAMED])}{more} "
        "can't be put back, as the model is too large to keep a copy of it. "
        "Load it again before you go on with it."
    ]
