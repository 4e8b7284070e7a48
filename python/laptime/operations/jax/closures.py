"""nnx objects that a function reaches without being given them: by a closure, a global, its `self`.

nnx lets a program change a variable only in the trace that it was made in. While the function is
traced, those that it reaches are at home in that trace and hold its values; afterwards they are
what they were, whatever the function did to them.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager

from ..names import framework_of, layers
from .arguments import is_array
from .flax import is_nnx_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any


class Captured:
    """The nnx objects that a function reaches."""

    def __init__(self, target: Any) -> None:
        self._variables: list[Any] = []
        self._objects: list[Any] = []
        if "flax.nnx" not in sys.modules or is_nnx_object(target):
            return
        import jax
        from flax import nnx

        found = [
            leaf
            for layer in layers(target)
            for it in layer
            # What JAX or Flax made, an `nnx.State` say, is looked into as the tree that it is.
            if framework_of(it) == "jax"
            for leaf in jax.tree.leaves(it, is_leaf=is_nnx_object)
            if is_nnx_object(leaf)
        ]
        nodes = {id(node): node for it in found for _, node in nnx.iter_graph(it)}
        for node in nodes.values():
            if isinstance(node, nnx.Variable):
                if not node.hijax and not node.ref:
                    self._variables.append(node)
            elif isinstance(node, nnx.Pytree):
                self._objects.append(node)
        self._traced = [it for it in self._variables if is_array(it.get_raw_value())]

    @property
    def arrays(self) -> list[Any]:
        """The values of their variables."""
        return [it.get_raw_value() for it in self._traced] if self._variables else []

    @contextmanager
    def holding(self, arrays: Sequence[Any]) -> Iterator[None]:
        """Within it their variables hold these, and may be changed."""
        if not self._variables and not self._objects:
            yield
            return
        from flax import nnx

        made_here = nnx.Variable(0)
        home = made_here._trace_state
        variables = [
            (it, it.get_raw_value(), it._trace_state, dict(it._var_metadata))
            for it in self._variables
        ]
        objects = [(it, dict(vars(it)), it._pytree__state._trace_state) for it in self._objects]
        try:
            for it in self._variables:
                object.__setattr__(it, "_trace_state", home)
            for it in self._objects:
                it._pytree__state._trace_state = home
            for it, array in zip(self._traced, arrays):
                object.__setattr__(it, "_raw_value", array)
            yield
        finally:
            for it, value, state, metadata in variables:
                object.__setattr__(it, "_raw_value", value)
                object.__setattr__(it, "_trace_state", state)
                it._var_metadata.clear()
                it._var_metadata.update(metadata)
            for it, attributes, state in objects:
                vars(it).clear()
                vars(it).update(attributes)
                it._pytree__state._trace_state = state
