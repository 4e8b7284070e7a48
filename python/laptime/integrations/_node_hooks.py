"""The hooks by which the engine tells which module's nodes it reached, and how to take them away.

A node keeps the dictionary that its hook stands in, for as long as the graph lives. Compiled
autograd makes a graph of its own of everything that it finds on the nodes, hooks included: a hook
of Laptime's would break that graph, or end the program where it must not break. It may be
switched on around the backward alone, long after the forward. So the dictionaries are emptied when
a backward finds it on, and stay empty: from then on no backward is split by module.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from typing import Any

#: Has whether compiled autograd is on; torch imports it at the first need of it.
_COMPILER = "torch._dynamo.compiled_autograd"
#: What says so there, in one torch or another.
_ON = ("compiled_autograd_enabled", "in_compiled_autograd_region")


class NodeHooks:
    """The hooks on the nodes of all threads' graphs."""

    def __init__(self, core: Any) -> None:
        self._core = core
        self._alive: weakref.WeakSet[Hooks] = weakref.WeakSet()
        self.are_away = False
        """Whether compiled autograd has been seen."""

    def of(self, reached: Callable[[Any], None]) -> Hooks:
        """The hooks of a place: `reached`, unless hooks are away."""
        hooks = Hooks()
        if not self.are_away:
            hooks[0] = reached
            self._alive.add(hooks)
        return hooks

    def step_aside(self) -> bool:
        """Takes all hooks away if the backward that begins is compiled; whether they are away."""
        if not self.are_away and _is_on():
            self.are_away = True
            for hooks in list(self._alive):
                hooks.clear()
            self._core.note(
                "modules.compiled-autograd",
                "compiled autograd was on: backward is not split by module from there on, because "
                "what Laptime would leave on the graph would be compiled too",
            )
        return self.are_away


class Hooks(dict[int, Callable[[Any], None]]):
    """A dictionary that can be told from others, and found while a node keeps it."""

    __slots__ = ("__weakref__",)

    __hash__ = object.__hash__  # type: ignore[assignment]
    __eq__ = object.__eq__


def _is_on() -> bool:
    compiler = sys.modules.get(_COMPILER)
    return compiler is not None and any(vars(compiler).get(name) is True for name in _ON)
