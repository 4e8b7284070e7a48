"""What a measurement leaves as it was: all that the call can reach, and the random numbers.

`laptime._core.State` walks from the call and puts back; `savers` has what only Python can save,
`contents` what the memory of tensors holds. Whatever else is changed for a measurement is undone
through `Undo`, whose parts run to the last one, interrupted or not. A count keeps all of the
program that it can reach, a benchmark of a model only what that holds (`model`).
"""

from __future__ import annotations

import contextvars
import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from .._core import State, undone
from .libraries import libraries
from .random_numbers import random_states
from .savers import Saver, savers

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")


class Layer:
    """A function that is put over another, and calls it.

    Another tool may put its own function over it, and still calls this one after the end. So it
    then stays where it is, switched off, until nothing lies over it. The function itself asks
    `is_on`, and only calls what is below where it is off.
    """

    def __init__(self, owner: Any, name: str) -> None:
        _uncover(owner, name)
        self._owner, self._name = owner, name
        self._own = vars(owner).get(name, _ABSENT)
        self._function: Any = None
        #: What it is put over.
        self.below: Callable[..., Any] = getattr(owner, name)
        self.is_on = True

    def put(self, function: Callable[..., Any]) -> None:
        """Puts it there."""
        self._function = function
        vars(function)[_LAYER] = self
        setattr(self._owner, self._name, function)

    def take(self) -> None:
        """Takes it away, with those below that are off, if nothing lies over it."""
        self.is_on = False
        _uncover(self._owner, self._name)

    def uncover(self, function: Any) -> bool:
        """Puts back what was below, if this is the function there and it is off; whether it did."""
        # `functools.wraps` copies attributes: another tool's function may have this layer in its.
        if self.is_on or function is not self._function:
            return False
        if self._own is _ABSENT:
            delattr(self._owner, self._name)
        else:
            setattr(self._owner, self._name, self._own)
        # The function holds this layer: in a circle, what it uses would live until it is collected.
        self._function = None
        return True


#: The attribute of a function that has its layer.
_LAYER = "_laptime_layer"
_ABSENT = object()


def _uncover(owner: Any, name: str) -> None:
    """Takes away what lies on top and is off."""
    while True:
        top = vars(owner).get(name)
        layer = getattr(top, "__dict__", {}).get(_LAYER)
        if layer is None or not layer.uncover(top):
            return


class Undo:
    """What is to be undone, from the last to the first."""

    def __init__(self) -> None:
        self.undo: list[Callable[[], Any]] = []

    def put(self, owner: Any, name: str, value: Any) -> None:
        """Sets an attribute until the end."""
        before = vars(owner).get(name, self)

        def restore() -> None:
            if before is not self:
                setattr(owner, name, before)
            elif name in vars(owner):
                delattr(owner, name)

        self.undo.append(restore)
        setattr(owner, name, value)

    def layer(self, owner: Any, name: str) -> Layer:
        """For a function that is put over another one until the end."""
        layer = Layer(owner, name)
        self.undo.append(layer.take)
        return layer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        undone(_nothing, self.undo)

    def run(self, body: Callable[[], T]) -> T:
        """Runs it, then undoes what was changed for it or by it. Its context variables end here."""
        return undone(lambda: contextvars.copy_context().run(body), self.undo)


def _nothing() -> None: ...


class World(Undo):
    """Everything that a call can reach, and how to put it back.

    With `enters`, only objects of the classes that it says yes of.
    """

    def __init__(
        self,
        sought: Sequence[type] = (),
        acting: int = 0,
        leaves: Sequence[type] = (),
        more: Sequence[tuple[type, Saver]] = (),
        outside: Any = None,
        enters: Callable[[type], bool] | None = None,
    ) -> None:
        super().__init__()
        all_savers = [*more, *savers()]
        self.state = State(
            (list(sought), acting), list(leaves), libraries(), all_savers, outside, enters
        )
        self.undo.append(self.state.restore)
        self.undo += random_states()
        self.undo.append(_environment())


def _environment() -> Callable[[], Any]:
    """What puts the variables of the environment back."""
    before = dict(os.environ)

    def restore() -> None:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        for name, value in before.items():
            if os.environ.get(name) != value:
                os.environ[name] = value

    return restore
