"""What a model holds, so that it can be put back after others have called it.

Attributes of every module, the lists, dictionaries and sets in them, and the memory of tensors and
arrays. Objects of other classes are kept as such, and not looked into: behind them stands the
program.
"""

from __future__ import annotations

import sys
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterable
from dataclasses import is_dataclass
from types import SimpleNamespace
from typing import Any

from ._contents import UNREADABLE, Contents

#: Containers with more items are data, not the state of a model.
_MOST_ITEMS = 1_000_000
_MAPPINGS = (dict, OrderedDict, defaultdict, Counter)
_LISTS = (list, deque)
#: Dictionaries of a module whose keys are the names of what they hold.
_OWN = ("_parameters", "_buffers", "_modules")
#: What an attribute of a TorchScript module is compared by.
_PLAIN = (bool, int, float, str, type(None))


class State:
    """Everything that a model holds now."""

    def __init__(self, model: Any, torch: Any) -> None:
        self._torch = torch
        self._tensor: Any = getattr(torch, "Tensor", ())
        self._module: Any = getattr(getattr(torch, "nn", None), "Module", ())
        self._put_back: list[Callable[[], None]] = []
        self._tensors: list[tuple[Any, str]] = []
        #: By their identities; they stay alive as long as this, so those stay theirs.
        self._seen: dict[int, Any] = {}
        self._left: list[tuple[Any, str]] = []
        self._keep_module(model, "")
        while self._left:
            self._look_at(*self._left.pop())
        self._contents = Contents(torch)
        # Buffers and caches are what calls change; where there isn't room for all, they have it.
        are_weights = (isinstance(one, _parameter(torch)) for one, _ in self._tensors)
        ordered = sorted(zip(are_weights, self._tensors, strict=True), key=lambda pair: pair[0])
        for _is_weight, (tensor, name) in ordered:
            try:
                self._contents.keep(tensor, name)
            except UNREADABLE:
                continue  # a kind of tensor without memory of its own

    def put_back(self) -> list[str]:
        """Puts back what has changed. The names of tensors that can't be put back."""
        # Gradients were found after their parameters, which take only those of their own place.
        for put_back in reversed(self._put_back):
            put_back()
        return self._contents.put_back()

    def _look_at(self, value: Any, name: str) -> None:
        kind = type(value)  # and not its `__class__`, which may be anything, and may raise
        if id(value) in self._seen or kind in _PLAIN:
            return
        self._seen[id(value)] = value
        if issubclass(kind, self._module):
            self._keep_module(value, name)
        elif issubclass(kind, self._tensor):
            self._keep_tensor(value, name)
        elif kind in _MAPPINGS and len(value) <= _MOST_ITEMS:
            self._keep(_Dictionary(value))
            self._left += [(one, f"{name}[{key!r}]") for key, one in value.items()]
        elif kind in _LISTS and len(value) <= _MOST_ITEMS:
            self._keep(_List(value))
            self._left += [(one, f"{name}[{at}]") for at, one in enumerate(value)]
        elif kind is set and len(value) <= _MOST_ITEMS:
            self._keep(_Set(value))
        elif issubclass(kind, tuple) and len(value) <= _MOST_ITEMS:
            self._left += [(one, f"{name}[{at}]") for at, one in enumerate(value)]
        elif kind is SimpleNamespace or (is_dataclass(kind) and hasattr(value, "__dict__")):
            self._keep_attributes(vars(value), name)
        else:
            self._keep_array(value, name)

    def _keep(self, container: Any) -> None:
        self._put_back.append(container.put_back)

    def _keep_module(self, module: Any, name: str) -> None:
        self._seen[id(module)] = module
        attributes = vars(module)
        self._keep_attributes(attributes, name)
        if "_concrete_type" in attributes:
            self._keep_script(module, name)

    def _keep_attributes(self, attributes: dict[str, Any], name: str) -> None:
        self._keep(_Attributes(attributes))
        for key, value in list(attributes.items()):
            if key in _OWN and type(value) in _MAPPINGS:
                self._seen[id(value)] = value
                self._keep(_Dictionary(value))
                self._left += [(one, _inside(name, inner)) for inner, one in value.items()]
            else:
                self._left.append((value, _inside(name, key)))

    def _keep_script(self, module: Any, name: str) -> None:
        """A module of TorchScript has its attributes outside of Python."""
        script = _Script(module)
        self._keep(script)
        self._left += [(one, _inside(name, key)) for key, one in script.before.items()]
        self._left += [(one, _inside(name, key)) for key, one in module.named_children()]

    def _keep_tensor(self, tensor: Any, name: str) -> None:
        try:
            held = _Tensor(tensor)
        except UNREADABLE:
            return  # without values yet, as a lazy one that no call has made
        self._keep(held)
        self._tensors.append((tensor, name))
        if held.gradient is not None:
            self._left.append((held.gradient, f"{name}.grad"))

    def _keep_array(self, value: Any, name: str) -> None:
        """NumPy's, by a tensor on the same memory."""
        array: Any = getattr(sys.modules.get("numpy"), "ndarray", ())
        is_array = issubclass(type(value), array)
        if not (is_array and value.flags.writeable and value.flags.c_contiguous):
            return
        try:
            flat = value.reshape(-1).view("uint8")
            self._tensors.append((self._torch.from_numpy(flat), name))
        except UNREADABLE:
            return  # an array of objects


class _Attributes:
    """What an object's attributes are."""

    def __init__(self, now: dict[str, Any]) -> None:
        self._now, self._before = now, dict(now)

    def put_back(self) -> None:
        for name in [name for name in self._now if name not in self._before]:
            del self._now[name]
        for name, value in self._before.items():
            if name not in self._now or self._now[name] is not value:
                self._now[name] = value


class _Dictionary:
    def __init__(self, now: dict[Any, Any]) -> None:
        self._now, self._before = now, list(now.items())

    def put_back(self) -> None:
        if not _are_same([one for pair in self._now.items() for one in pair], self._flat()):
            self._now.clear()
            self._now.update(self._before)

    def _flat(self) -> list[Any]:
        return [one for pair in self._before for one in pair]


class _List:
    def __init__(self, now: Any) -> None:
        self._now, self._before = now, list(now)

    def put_back(self) -> None:
        if not _are_same(self._now, self._before):
            self._now.clear()
            self._now.extend(self._before)


class _Set:
    def __init__(self, now: set[Any]) -> None:
        self._now, self._before = now, set(now)

    def put_back(self) -> None:
        if self._now != self._before:
            self._now.clear()
            self._now.update(self._before)


class _Tensor:
    """What a tensor is beside its contents: where they are, and its gradient."""

    def __init__(self, tensor: Any) -> None:
        self._tensor, self._data = tensor, tensor.data
        self._is_leaf = bool(tensor.is_leaf)
        self._requires_grad = tensor.requires_grad
        self.gradient = tensor.grad if self._is_leaf else None

    def put_back(self) -> None:
        tensor, data = self._tensor, self._data
        if _was_moved(tensor, data):
            tensor.data = data
        if self._is_leaf and tensor.is_leaf:
            if tensor.requires_grad != self._requires_grad:
                tensor.requires_grad_(self._requires_grad)
            if tensor.grad is not self.gradient:
                tensor.grad = self.gradient


class _Script:
    def __init__(self, module: Any) -> None:
        self._inner = module._c
        names = module._concrete_type.get_attributes()
        self.before = {name: self._inner.getattr(name) for name in names}

    def put_back(self) -> None:
        for name, before in self.before.items():
            now = self._inner.getattr(name)
            is_same = now == before if type(before) in _PLAIN else now is before
            # A list is another one each time that it is asked for.
            if not is_same and not isinstance(before, (list, dict)):
                self._inner.setattr(name, before)


def _inside(name: str, key: str) -> str:
    return f"{name}.{key}" if name else str(key)


def _are_same(now: Iterable[Any], before: list[Any]) -> bool:
    return list(map(id, now)) == list(map(id, before))


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


def _parameter(torch: Any) -> Any:
    return getattr(getattr(torch, "nn", None), "Parameter", ())
