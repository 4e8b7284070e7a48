"""When a stretch of a program is the same as one that was seen: equal keys.

A forward is told by its module, by what it is given (shapes, types, and plain values), and by what
changes the operators that run: training mode, gradients, autocast, and how many of the
parameters learn. An optimizer's work is told by the optimizer and by whether its state is there
yet: the first step makes it.
"""

from __future__ import annotations

import weakref
from typing import Any

#: Containers inside containers that are looked into.
_DEEPEST = 4
#: Values of other types that are compared as they are.
_PLAIN = (bool, int, float, str, bytes, type(None))


class Keys:
    """Makes keys."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._tensor = torch.Tensor
        self._numbers: weakref.WeakKeyDictionary[Any, int] = weakref.WeakKeyDictionary()
        self._parameters: weakref.WeakKeyDictionary[Any, list[Any]] = weakref.WeakKeyDictionary()
        self._last = 0

    def forward(self, args: Any, kwargs: dict[str, Any]) -> Any:
        """Of a module's call."""
        torch = self._torch
        module = args[0]
        given = tuple([self._value(value, 0) for value in args[1:]])
        if kwargs:
            named = sorted(kwargs.items())
            given += tuple([(name, self._value(value, 0)) for name, value in named])
        return (
            self._number(module),
            getattr(module, "training", None),
            torch.is_grad_enabled(),
            torch.is_autocast_enabled(),
            self._learning(module),
            given,
        )

    def owner(self, args: Any, *, stepping: bool) -> Any:
        """Of an optimizer's work, by what it is the work of; a first step makes the state."""
        owner: Any = args[0] if args else None
        state: Any = getattr(owner, "state", ()) if stepping else ()
        size = len(state) if hasattr(state, "__len__") else 0
        return self._number(owner), size, len(args)

    def _number(self, owner: Any) -> Any:
        """A number that no other object has had: addresses are used again."""
        try:
            known = self._numbers.get(owner)
            if known is None:
                self._last += 1
                self._numbers[owner] = known = self._last
            return known
        except TypeError:
            return type(owner).__qualname__

    def _learning(self, module: Any) -> int:
        """How many parameters learn; what is frozen later has another backward."""
        parameters = self._parameters.get(module)
        if parameters is None:
            parameters = list(module.parameters())
            self._parameters[module] = parameters
        return sum([parameter.requires_grad for parameter in parameters])

    def _value(self, value: Any, depth: int) -> Any:
        if isinstance(value, self._tensor):
            return (value.shape, value.dtype, value.device, value.requires_grad)
        if isinstance(value, _PLAIN):
            return value
        if depth < _DEEPEST:
            if isinstance(value, (list, tuple)):
                return tuple([self._value(one, depth + 1) for one in value])
            if isinstance(value, dict):
                items = [(str(key), self._value(one, depth + 1)) for key, one in value.items()]
                return tuple(sorted(items, key=lambda item: item[0]))
        return type(value).__qualname__
