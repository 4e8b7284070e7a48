"""A world in which tensors are put back: where their memory is, their gradients, what it holds."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from . import World
from .contents import UNREADABLE, Contents
from .savers import Saver

#: What an attribute of a TorchScript module is compared by.
_PLAIN = (bool, int, float, str, type(None))
#: Dictionaries of a module whose keys are the names of what they hold.
_OWN = ("_parameters", "_buffers", "_modules")


class TensorWorld(World):
    """What a call can reach, and of tensors all but what they hold: that is for `contents` to keep,
    of those that it is told, with copies of up to `most` bytes.
    """

    def __init__(
        self, most: float | None = None, enters: Callable[[type], bool] | None = None
    ) -> None:
        torch: Any = sys.modules.get("torch")
        tensor: Any = getattr(torch, "Tensor", None)
        script: Any = getattr(getattr(torch, "jit", None), "ScriptModule", None)
        kept = _Tensors()
        found: list[tuple[Any, Saver]] = [(script, _script_state), (tensor, kept.save)]
        self._has_tensors = tensor is not None
        super().__init__(
            [tensor] if self._has_tensors else [],
            more=[(kind, saver) for kind, saver in found if kind is not None],
            enters=enters,
        )
        self.contents = Contents(torch, most)
        self.undo += [kept.restore, self.contents.restore]

    def tensors(self) -> list[tuple[str, Any]]:
        """Those that were reached, with the names on the way to them."""
        return self.state.found(0) if self._has_tensors else []

    def keep_contents(self) -> None:
        """Keeps what all of them hold."""
        # Buffers and caches are what calls change; where there isn't room for all, they have it.
        weight: Any = getattr(getattr(sys.modules.get("torch"), "nn", None), "Parameter", ())
        for place, one in sorted(self.tensors(), key=lambda pair: isinstance(pair[1], weight)):
            self.contents.keep(one, _name(place))


def _name(place: str) -> str:
    """What a tensor is called, such as `layer.weight`."""
    return ".".join(name for name in place.split(".") if name not in _OWN)


class _Tensors:
    """Where tensors have their memory, and their gradients."""

    def __init__(self) -> None:
        self._kept: list[_Tensor] = []

    def save(self, tensor: Any) -> tuple[None, Any] | None:
        """Keeps one; answers with what is reached through it."""
        try:
            kept = _Tensor(tensor)
        except UNREADABLE:
            return None  # without values yet, as a lazy one that no call has made
        self._kept.append(kept)
        return None if kept.gradient is None else (None, {"grad": kept.gradient})

    def restore(self) -> None:
        """Puts all of them back."""
        # Gradients were found after their parameters, which take only those of their own place.
        for kept in reversed(self._kept):
            kept.restore()


class _Tensor:
    def __init__(self, tensor: Any) -> None:
        self._tensor, self._data = tensor, tensor.data
        self._is_leaf = bool(tensor.is_leaf)
        self._requires_grad = tensor.requires_grad
        self.gradient = tensor.grad if self._is_leaf else None

    def restore(self) -> None:
        tensor, data = self._tensor, self._data
        if _was_moved(tensor, data):
            tensor.data = data
        if self._is_leaf and tensor.is_leaf:
            if tensor.requires_grad != self._requires_grad:
                tensor.requires_grad_(self._requires_grad)
            if tensor.grad is not self.gradient:
                tensor.grad = self.gradient


def _was_moved(now: Any, before: Any) -> bool:
    try:
        return bool(
            now.device != before.device
            or now.dtype != before.dtype
            or now.data_ptr() != before.data_ptr()
            or now.shape != before.shape
            or now.stride() != before.stride()
        )
    except UNREADABLE:
        return True  # a kind of tensor without memory of its own


def _script_state(module: Any) -> tuple[Callable[[], None], Any] | None:
    """A module of TorchScript has its attributes outside of Python."""
    if "_concrete_type" not in vars(module):
        return None
    inner = module._c
    names = module._concrete_type.get_attributes()
    attributes = {name: inner.getattr(name) for name in names}

    def restore() -> None:
        for name, before in attributes.items():
            now = inner.getattr(name)
            is_same = now == before if type(before) in _PLAIN else now is before
            # A list is another one each time that it is asked for.
            if not is_same and not isinstance(before, (list, dict)):
                inner.setattr(name, before)

    return restore, {**attributes, **dict(module.named_children())}
