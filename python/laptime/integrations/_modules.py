"""Time per module, forward and backward.

Forward: every module that is called inside a forward is a lap, named by its attribute path
from the module that called it. Backward: when a module returns, the autograd node of its
output is tagged, and when the engine reaches that node, the module's lap opens under
``backward``, in place of the one before. A node is tagged once, by the innermost module that
made it: sequence numbers grow, so one that is not larger than the last was tagged already.
Modules and their tensors are left as they are: no module hooks, no views, no copies.
"""

from __future__ import annotations

import functools
import logging
import weakref
from collections.abc import Callable
from threading import get_ident
from typing import Any

COMPILED = "inside compiled graph"


class Place:
    """A module at one place of the tree of calls."""

    __slots__ = ("chain", "compiled", "inside", "lap", "name", "of", "parent", "tag")

    def __init__(self, module: Any, name: str, parent: Place | None, lap: Any) -> None:
        self.of = weakref.ref(module)
        self.name = name
        self.parent = parent
        self.lap = lap
        """Its handle; ``None`` for an outermost module, whose lap is the forward itself."""
        self.chain: tuple[Place, ...] = () if parent is None else (*parent.chain, self)
        self.inside: dict[int, Place] = {}
        self.compiled = type(module).__name__ == "OptimizedModule"
        """What `torch.compile` returned."""
        self.tag: Any = None
        """A tensor that carries its backward hook, made when first needed."""


class ModuleLaps:
    """The laps of one thread's modules."""

    def __init__(self, torch: Any, core: Any) -> None:
        self._torch = torch
        self._core = core
        self._lap = core.lap
        self.compiled = core.lap(COMPILED)
        self._tensor = torch.Tensor
        self._roots: dict[int, Place] = {}
        self._last = -1
        """Sequence number of the last tagged node."""
        self._tags = True
        self.place: Place | None = None
        """Whose forward is running."""
        self.known: dict[int, Place] = {}
        """Where each module was called last, for recomputation inside a backward."""
        self.backward = False
        self._current: tuple[Place, ...] = ()
        self._thread = get_ident()
        self._elsewhere: list[tuple[int, tuple[Place, ...]]] = []

    # -- forward ---------------------------------------------------------------------------

    def root(self, module: Any) -> Place:
        """The place of an outermost module."""
        place = self._roots.get(id(module))
        if place is None or place.of() is not module:
            place = self._roots[id(module)] = Place(module, "", None, None)
        return place

    def _name(self, parent: Any, module: Any) -> str:
        """A module's attribute path from the one that calls it, or its class."""
        if parent is not None:
            for name, found in parent.named_modules():
                if found is module and name:
                    return str(name)
        return type(module).__name__

    def inside(self, parent: Place, module: Any) -> Place:
        """The place of a module that another one calls."""
        place = parent.inside.get(id(module))
        if place is None or place.of() is not module:
            name = self._name(parent.of(), module)
            place = Place(module, name, parent, self._lap(name))
            parent.inside[id(module)] = place
        self.known[id(module)] = place
        return place

    def compiled_place(self, place: Place) -> Place:
        """The place of a compiled graph, inside its module's."""
        graph = place.inside.get(0)
        if graph is None:
            graph = place.inside[0] = Place(place.of(), COMPILED, place, self.compiled)
        return graph

    # -- tags ------------------------------------------------------------------------------

    def tag(self, value: Any, place: Place) -> None:
        """Lets the backward of what made `value` be timed as the place's."""
        try:
            if isinstance(value, self._tensor):
                node = value.grad_fn
                if node is not None and self._tags:
                    number = node._sequence_nr()
                    if number > self._last:
                        self._last = number
                        tag = place.tag
                        node._register_hook_dict(self._make_tag(place) if tag is None else tag)
            elif self._tags and value is not None:
                self._tag_several(value, place)
        except Exception:  # an older or newer torch, or a graph that is no ordinary one
            self._tags = False
            logging.getLogger("laptime").exception("backward is not split by module")

    def _tag_several(self, values: Any, place: Place) -> None:
        if isinstance(values, dict):
            values = values.values()
        elif not isinstance(values, (tuple, list)):
            return
        tensors = [v for v in values if isinstance(v, self._tensor) and v.grad_fn is not None]
        for value in sorted(tensors, key=lambda tensor: tensor.grad_fn._sequence_nr()):
            self.tag(value, place)

    def _make_tag(self, place: Place) -> Any:
        chain = place.chain

        laps, ident = self, get_ident
        own = chain[-1] if chain else None

        def reached(_gradient: Any) -> None:
            old = laps._current
            if chain is old or not laps.backward:
                return
            siblings = own is not None and old and old[-1].parent is own.parent
            if own is None or not siblings or ident() != laps._thread:
                laps._switch(chain)
                return
            old[-1].lap.__exit__(None, None, None)  # a sibling, the common case
            own.lap.__enter__()
            laps._current = chain

        tag = self._torch.empty(0, device="cpu")
        tag._backward_hooks = {0: reached}
        place.tag = tag
        return tag

    def off(self) -> None:
        """Tags nothing any more."""
        self._tags = False
        self.backward = False

    # -- backward --------------------------------------------------------------------------

    def backward_begin(self) -> None:
        """The engine starts."""
        self._current = ()
        self._thread = get_ident()
        self.backward = True

    def backward_end(self) -> None:
        """The engine is done."""
        self._switch(())
        self.backward = False
        if self._elsewhere:
            self._replay()

    def _switch(self, chain: tuple[Place, ...]) -> None:
        if get_ident() != self._thread:  # a thread of the engine's, for a device
            self._elsewhere.append((self._core.now(), chain))
            return
        old, self._current = self._current, chain
        shared = 0
        for one, other in zip(old, chain):
            if one is not other:
                break
            shared += 1
        for place in reversed(old[shared:]):
            place.lap.__exit__(None, None, None)
        for place in chain[shared:]:
            place.lap.__enter__()

    def _replay(self) -> None:
        """Writes what the engine's own threads did, under the backward that waited for them."""
        open_span, close_span = self._core.open_span, self._core.close_span
        end = self._core.now()
        opened: list[tuple[Place, int]] = []
        for at, chain in [*self._elsewhere, (end, ())]:
            shared = 0
            for (one, _), other in zip(opened, chain):
                if one is not other:
                    break
                shared += 1
            for _, token in reversed(opened[shared:]):
                close_span(token, at)
            del opened[shared:]
            for place in chain[shared:]:
                opened.append((place, open_span(place.name, at)))
        self._elsewhere.clear()


def wrap(patches: Any, call: Callable[..., Any], outermost: Callable[..., Any]) -> Any:
    """The function in place of ``Module.__call__``.

    `outermost` makes the ordinary wrapper, that opens ``forward``, around a given call.
    """
    here, is_traced = patches.machines.here, patches.is_traced

    def root(module: Any, *args: Any, **kwargs: Any) -> Any:
        laps = here.laps
        if laps is None:
            laps = here.laps = patches.module_laps()
        laps.place = place = laps.root(module)
        try:
            here.looked_into = laps
            if module._compiled_call_impl is None and not place.compiled:
                out = call(module, *args, **kwargs)
            else:
                laps.place = None
                with laps.compiled:
                    out = call(module, *args, **kwargs)
        finally:
            here.looked_into = None
            compiled, laps.place = laps.place is None, None
        laps.tag(out, laps.compiled_place(place) if compiled else place)
        return out

    begin = outermost(root)
    tensor = patches.tensor

    def __call__(module: Any, *args: Any, **kwargs: Any) -> Any:
        if is_traced():
            return call(module, *args, **kwargs)
        laps = here.looked_into
        if laps is None:
            return begin(module, *args, **kwargs)
        parent = laps.place
        if parent is None:
            return recomputed(laps, module, *args, **kwargs)
        place = parent.inside.get(id(module))
        if place is None or place.of() is not module:
            place = laps.inside(parent, module)
        if args and type(value := args[0]) is tensor and value.grad_fn is not None:
            laps.tag(value, parent)
        laps.place = place
        try:
            with place.lap:
                if module._compiled_call_impl is None and not place.compiled:
                    out = call(module, *args, **kwargs)
                else:
                    laps.place = None
                    with laps.compiled:
                        out = call(module, *args, **kwargs)
        finally:
            compiled, laps.place = laps.place is None, parent
        if compiled:
            place = laps.compiled_place(place)
        if type(out) is not tensor or out.grad_fn is not None:
            laps.tag(out, place)
        return out

    def recomputed(laps: ModuleLaps, module: Any, *args: Any, **kwargs: Any) -> Any:
        """A call inside a backward, which has no lap, but whose nodes run in this backward."""
        out = call(module, *args, **kwargs)
        place = laps.known.get(id(module))
        if place is not None:
            laps.tag(out, place)
        return out

    return __call__


def wrap_gradients(patches: Any, compute: Callable[..., Any]) -> Callable[..., Any]:
    """Splits what a backward computes by module."""
    here = patches.machines.here

    @functools.wraps(compute)
    def by_module(*args: Any, **kwargs: Any) -> Any:
        laps = here.laps
        if laps is None or laps.backward:  # a backward inside a backward is part of it
            return compute(*args, **kwargs)
        try:
            here.looked_into = laps
            laps.backward_begin()
            return compute(*args, **kwargs)
        finally:
            here.looked_into = None
            laps.backward_end()

    return by_module
