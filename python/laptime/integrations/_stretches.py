"""When a stretch of a program is the same as one that was seen: equal keys.

A forward is told by its module, by what it is given (shapes, types, and plain values), and by what
changes the operators that run: gradients, autocast, and what the module is made of: the modules
inside, their training modes, the parameters with their sizes, and which of them learn. Its sizes
and whole numbers make it another one of the same kind. A number with a fraction changes what is
computed, not how much, and tells no stretch from another. An optimizer's work is told by the
optimizer and by whether its state is there yet: the first step makes it.

Objects of the program are told by their addresses and a weak reference: how a class compares or
hashes is the program's business.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterable
from typing import Any, Generic, NamedTuple, TypeVar

from .._core import Structures
from ._modules import parameters

#: Containers inside containers that are looked into.
_DEEPEST = 4
#: Whole numbers from here on are no sizes.
_GREATEST = 2**63
#: Structures of one module that have their own stretches, whatever their sizes: one that is made
#: anew for every call would have all of them counted.
_MOST_STRUCTURES = 64
#: Values of other types that are compared as they are.
_PLAIN = (bool, int, str, bytes, type(None))

_T = TypeVar("_T")


class Sized(NamedTuple):
    """What a stretch is, but for where it stands: calls of one kind differ in their sizes alone."""

    caller: Any
    """The caller: the same for all kinds of a module's forwards in one mode."""
    kind: Any
    """What it is but for its sizes; equal for the same caller only."""
    sizes: tuple[int, ...]
    name: str
    """The module's class, for messages."""

    @classmethod
    def of_forward(cls, key: Any, name: str) -> Sized:
        """From a forward's key."""
        *caller, given = key
        sizes: list[int] = []
        kind = _without_sizes(given, sizes)
        return cls(tuple(caller), kind, tuple(sizes), name)

    def otherwise(self, calls: int) -> Sized:
        """The same but for the modules that are called inside."""
        return self._replace(kind=(self.kind, calls))

    @classmethod
    def of_backward(cls, forwards: Iterable[Sized]) -> Sized:
        """The backward of these forwards."""
        callers, kinds, sizes, names = zip(*forwards, strict=True)
        flat = tuple([size for one in sizes for size in one])
        return cls(callers, kinds, flat, " and ".join(dict.fromkeys(names)))


def _without_sizes(given: Any, sizes: list[int]) -> Any:
    """What is left when sizes and whole numbers are taken out."""
    kind = type(given)
    if kind is int and abs(given) < _GREATEST:
        sizes.append(given)
        return int
    if issubclass(kind, tuple):
        return (kind, *[_without_sizes(one, sizes) for one in tuple.__iter__(given)])
    return given


class _Reference(weakref.ref[Any]):
    """To an object, whose address it keeps."""

    __slots__ = ("address",)
    address: int


class ByObject(Generic[_T]):
    """A value for each of some objects, for as long as that lives."""

    def __init__(self) -> None:
        self._kept: dict[int, tuple[_Reference, _T]] = {}
        # No Python runs when an object goes: what a signal's handler raises there would be lost.
        self._gone: list[_Reference] = []

    def find(self, one: Any, make: Callable[[], _T]) -> _T:
        """The value of an object, made when it is asked for first."""
        known = self._kept.get(id(one))
        if known is not None and known[0]() is one:
            return known[1]
        value = make()
        reference = _Reference(one, self._gone.append)
        reference.address = id(one)
        self._forget()
        self._kept[reference.address] = reference, value
        return value

    def _forget(self) -> None:
        while self._gone:
            reference = self._gone.pop()
            known = self._kept.get(reference.address)
            if known is not None and known[0] is reference:
                del self._kept[reference.address]


class _Known:
    """What is known of an object: nothing of the object's own."""

    def __init__(self, number: int) -> None:
        self.number = number
        """A number that no other object has had: addresses are used again."""
        self.structures: set[Any] = set()
        """What it was made of when it was called, if it is a module."""


class Keys:
    """Makes keys."""

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self._tensor = torch.Tensor
        self._all: ByObject[_Known] = ByObject()
        self._structures = Structures(torch._C.TensorBase)
        self._last = 0

    def forward(self, args: Any, kwargs: dict[str, Any]) -> Any:
        """The stretch of a module's call."""
        torch = self._torch
        module = args[0]
        given = tuple([self._value(value, 0) for value in args[1:]])
        if kwargs:
            named = sorted(kwargs.items())
            given += tuple([(name, self._value(value, 0)) for name, value in named])
        structure: Any = self._structure(module)
        known = self._known(module)
        if structure not in known.structures:
            if len(known.structures) < _MOST_STRUCTURES:
                known.structures.add(structure)
            else:
                given, structure = (structure, given), None
        return (
            known.number,
            torch.is_grad_enabled(),
            torch.is_autocast_enabled(),
            structure,
            given,
        )

    def owner(self, args: Any, *, stepping: bool) -> Any:
        """The stretch of an optimizer's work, by its owner; a first step makes the state."""
        owner: Any = args[0] if args else None
        state: Any = getattr(owner, "state", ()) if stepping else ()
        size = len(state) if isinstance(state, dict) else 0
        return self._number(owner), size, len(args)

    def _number(self, owner: Any) -> Any:
        try:
            return self._known(owner).number
        except TypeError:
            return type(owner).__qualname__

    def _known(self, one: Any) -> _Known:
        return self._all.find(one, self._next)

    def _next(self) -> _Known:
        self._last += 1
        return _Known(self._last)

    def _structure(self, module: Any) -> Any:
        """What a module is made of, from a walk that `calls` goes on from."""
        with self._torch._C.DisableTorchFunction():
            structure, is_partly_hidden = self._structures.of_call(module)
            if not is_partly_hidden:
                return structure
            # Parts of it are scripted. What is frozen later has another backward.
            learning = [one.requires_grad for one in parameters(self._torch, module)]
            return structure, sum(learning)

    def calls(self) -> int:
        """Which modules were called since the last forward's key was made, on this thread."""
        return self._structures.calls()

    def _value(self, value: Any, depth: int) -> Any:
        kind = type(value)
        if issubclass(kind, self._tensor):
            with self._torch._C.DisableTorchFunction():
                return (value.shape, value.dtype, value.device, value.requires_grad)
        if kind in _PLAIN:
            return value
        if depth < _DEEPEST:
            if issubclass(kind, list):
                return tuple([self._value(one, depth + 1) for one in list.__iter__(value)])
            if issubclass(kind, tuple):
                return tuple([self._value(one, depth + 1) for one in tuple.__iter__(value)])
            if issubclass(kind, dict):
                pairs = dict.items(value)
                items = [(_name(key), self._value(one, depth + 1)) for key, one in pairs]
                return tuple(sorted(items, key=lambda item: item[0]))
        return kind.__qualname__


def _name(key: Any) -> str:
    return key if type(key) is str else repr(key) if type(key) in _PLAIN else type(key).__qualname__
