"""A model is after a measurement what it was before: to the object, also when a call raises."""

from __future__ import annotations

import random
import sys
from contextlib import ExitStack, contextmanager, nullcontext
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from ..device import kind_of

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator


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
def undisturbed(module: Any) -> Generator[None]:
    """Evaluation mode; then modes, parameters, buffers and random numbers are as before."""
    torch: Any = sys.modules.get("torch")
    with ExitStack() as stack:
        stack.enter_context(_random_kept(torch))
        if module is not None:
            _refuse_lazy(module, torch)
            stack.enter_context(_tensors_kept(module, torch))
            stack.enter_context(evaluating(module))
        yield


def without_gradients() -> Any:
    """Inference mode. What is made in it is no use for training: nothing is put back there."""
    torch: Any = sys.modules.get("torch")
    return nullcontext() if torch is None else torch.inference_mode()


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


def _refuse_lazy(module: Any, torch: Any) -> None:
    """A lazy module's parameters are made by its first call, which must not be ours."""
    is_lazy = getattr(getattr(getattr(torch, "nn", None), "parameter", None), "is_lazy", None)
    if is_lazy is not None and any(map(is_lazy, module.parameters())):
        raise ValueError(
            "the model has parameters that its first call will make (lazy modules): "
            "call it once before it is measured"
        )


@contextmanager
def _tensors_kept(module: Any, torch: Any) -> Generator[None]:
    """Parameters with data and gradients, buffers with contents, tensors in attributes."""
    held = [_Held(one, torch) for one in module.modules()]
    try:
        yield
    finally:
        for one in held:
            one.put_back()


class _Held:
    """What one module has, without those inside it."""

    def __init__(self, module: Any, torch: Any) -> None:
        self._module, self._torch = module, torch
        self._parameters = dict[str, Any](module._parameters)
        self._buffers = dict[str, Any](module._buffers)
        parameters = [one for one in self._parameters.values() if one is not None]
        self._data = [(one, one.data) for one in parameters]
        self._gradients = [(one, one.grad, getattr(one.grad, "data", None)) for one in parameters]
        # A forward pass may write into buffers; into parameters it doesn't.
        buffers = [one for one in self._buffers.values() if one is not None and not one.is_meta]
        self._contents = [(one, one.detach().clone()) for one in buffers]
        self._attributes = {name: one for name, one in vars(module).items() if self._is_tensor(one)}

    def _is_tensor(self, value: Any) -> bool:
        return isinstance(value, self._torch.Tensor)

    def put_back(self) -> None:
        module = self._module
        for now, before in (
            (module._parameters, self._parameters),
            (module._buffers, self._buffers),
        ):
            if list(map(id, now.values())) != list(map(id, before.values())):
                now.clear()
                now.update(before)
        for parameter, data in self._data:
            if _was_moved(parameter, data):
                parameter.data = data
        for parameter, gradient, data in self._gradients:
            if parameter.grad is not gradient:
                parameter.grad = gradient
            if data is not None and _was_moved(gradient, data):
                gradient.data = data
        for buffer, contents in self._contents:
            if not self._torch.equal(buffer, contents):
                with self._torch.no_grad():
                    buffer.copy_(contents)
        for name, value in list(vars(module).items()):
            if name not in self._attributes and self._is_tensor(value) and value.is_inference():
                # Made by a call, as a cache is. Autograd refuses tensors of inference mode.
                vars(module)[name] = value.clone()
        vars(module).update(self._attributes)


def _was_moved(now: Any, before: Any) -> bool:
    try:
        return now.device != before.device or now.data_ptr() != before.data_ptr()
    except (RuntimeError, NotImplementedError):
        return True  # a kind of tensor without memory of its own
