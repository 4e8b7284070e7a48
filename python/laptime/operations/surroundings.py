"""What a count leaves as it was: all that the counted call can reach, and the random numbers.

`laptime._core.State` walks from the call and puts back; `savers` has what only Python can save.
Whatever else is changed for a count is undone through `Undo`, whose parts run to the last one,
interrupted or not.
"""

from __future__ import annotations

import contextvars
import os
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeVar

from .._core import State, undone
from .libraries import libraries
from .savers import Saver, savers

T = TypeVar("T")


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

    def run(self, body: Callable[[], T]) -> T:
        """Runs it, then undoes what was changed for it or by it. Its context variables end here."""
        return undone(lambda: contextvars.copy_context().run(body), self.undo)


class World(Undo):
    """Everything that a call can reach, and how to put it back."""

    def __init__(
        self,
        sought: Sequence[type] = (),
        acting: int = 0,
        leaves: Sequence[type] = (),
        more: Sequence[tuple[type, Saver]] = (),
        outside: Any = None,
    ) -> None:
        super().__init__()
        self.state = State(
            (list(sought), acting), list(leaves), list(libraries()), [*more, *savers()], outside
        )
        self.undo.append(self.state.restore)
        for state, restore in _random_states():
            self.undo.append(lambda state=state, restore=restore: restore(state))
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


def _random_states() -> Iterator[tuple[Any, Callable[[Any], Any]]]:
    """The random states of the process, and what puts each back."""
    yield random.getstate(), random.setstate
    numpy: Any = sys.modules.get("numpy")
    if numpy is not None:
        yield numpy.random.get_state(), numpy.random.set_state
