"""A call's arguments as a list of arrays, and from such a list the arguments again.

Arrays, NumPy's too, and `jax.ShapeDtypeStruct` can be stood in for; flags, callables and whatever
else is in the arguments stay as they are. nnx objects are split and put together anew, all at
once, so that what they share they share again and the program never gets the caller's own.
"""

from __future__ import annotations

from collections.abc import Mapping

from .flax import is_nnx_object

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class Arguments:
    """The arguments of one call.

    Those of the type `kept` stay what they are as well: their values are part of the program.
    """

    def __init__(
        self, positional: Sequence[Any], named: Mapping[str, Any], kept: tuple[type, ...] = ()
    ) -> None:
        import jax

        self._whole, self._tree = jax.tree.flatten(
            (tuple(positional), dict(named)), is_leaf=is_nnx_object
        )
        self._nnx = [at for at, leaf in enumerate(self._whole) if is_nnx_object(leaf)]
        self._graph: Any = None
        self._leaves, self._state = list(self._whole), None
        if self._nnx:
            from flax import nnx

            objects = tuple(self._whole[at] for at in self._nnx)
            self._graph, state = nnx.split(objects)
            for at in self._nnx:
                self._leaves[at] = None
            values, self._state = jax.tree.flatten(state)
            self._leaves += values
        self._places = [
            at
            for at, leaf in enumerate(self._leaves)
            if is_array(leaf) and not isinstance(leaf, kept)
        ]
        self.is_given = bool(positional)
        self.first_value = positional[0] if positional else None

    @property
    def arrays(self) -> list[Any]:
        """What the program is traced with."""
        return [self._leaves[at] for at in self._places]

    def filled(self, arrays: Sequence[Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with these in the places of `arrays`."""
        import jax

        leaves = list(self._leaves)
        for at, array in zip(self._places, arrays):
            leaves[at] = array
        whole = leaves[: len(self._whole)]
        if self._nnx:
            from flax import nnx

            # Where they are put together they are at home: a program may change them there.
            state = jax.tree.unflatten(self._state, leaves[len(self._whole) :])
            for at, made in zip(self._nnx, nnx.merge(self._graph, state)):
                whole[at] = made
        return jax.tree.unflatten(self._tree, whole)

    def first(self) -> list[int]:
        """Which of `arrays` are in the first argument."""
        return self._among({at for at, _ in self._in_first()} | self._nnx_in_first(every=True))

    def weights(self) -> list[int] | None:
        """Which of `arrays` are the first argument's parameters; None where it has none as such.

        They are those under "params" of a mapping, and the `nnx.Param` of nnx objects.
        """
        if any(at in self._nnx for at, _ in self._in_first()):
            return self._among(self._nnx_in_first())
        if not has_parameters(self.first_value):
            return None
        return self._among(
            {at for at, path in self._in_first() if getattr(path[0], "key", None) == "params"}
        )

    def _among(self, places: set[int]) -> list[int]:
        return [at for at, place in enumerate(self._places) if place in places]

    def _in_first(self) -> list[tuple[int, Any]]:
        """The first argument's leaves, which come before all others, each with its path."""
        import jax

        leaves, _ = jax.tree_util.tree_flatten_with_path(self.first_value, is_leaf=is_nnx_object)
        return [(at, path) for at, (path, _) in enumerate(leaves)]

    def _nnx_in_first(self, *, every: bool = False) -> set[int]:
        """The places of the parameters of the first argument's nnx objects, or of all they hold."""
        if not self._nnx:
            return set()
        import jax
        from flax import nnx

        inside = len(self._in_first())
        objects = sum(1 for at in self._nnx if at < inside)
        state = jax.tree.unflatten(self._state, range(len(self._whole), len(self._leaves)))
        return {
            place
            for path, variable in nnx.to_flat_state(state)
            if path[0] < objects and (every or isinstance(variable, nnx.Param))
            for place in jax.tree.leaves(variable)
        }


def has_parameters(first: Any) -> bool:
    """Whether a first argument holds its parameters as linen has it."""
    return isinstance(first, Mapping) and "params" in first


def is_array(leaf: Any) -> bool:
    """Whether something has a shape and numbers that JAX knows."""
    if not hasattr(leaf, "shape") or not hasattr(leaf, "dtype"):
        return False
    if type(leaf).__module__.partition(".")[0] == "torch":
        return False
    return getattr(leaf.dtype, "kind", "f") not in "OSUMm"
