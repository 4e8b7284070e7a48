"""Time per module, forward and backward.

Forward: every module that is called inside a forward is a lap: an outermost one named by its
class, any other by its attribute path from the module that called it. Backward: when a module
returns, the autograd node of its output is tagged, and when the engine reaches that node, the
module's lap opens under ``backward``, in place of the one before. A node is tagged once, by
the innermost module that made it. Modules and their tensors are left as they are: no module
hooks, no views, no copies.

What runs at every call is ``laptime._core``'s; here are the names and what happens once.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator
from typing import Any

from .. import _core
from .._log import warn
from ._node_hooks import NodeHooks


class RootNames:
    """Names of outermost modules: ``Net``, and ``Net#2`` for another one that lives beside it.

    The name of a module that is gone is free again, so a model that is made anew for every fold
    or trial keeps its name.
    """

    def __init__(self) -> None:
        self._taken: dict[str, list[weakref.ref[Any]]] = {}

    def name(self, module: Any) -> str:
        """The name of a module, the same for the module and what `torch.compile` made of it."""
        module = _children(module).get("_orig_mod", module)
        name = type(module).__name__
        taken = self._taken.setdefault(name, [])
        free = len(taken)
        for index, reference in enumerate(taken):
            known = reference()
            if known is module:
                return _numbered(name, index)
            if known is None:
                free = min(free, index)
        taken[free : free + 1] = [weakref.ref(module)]
        return _numbered(name, free)


def _numbered(name: str, index: int) -> str:
    return f"{name}#{index + 1}" if index else name


class ModuleLaps(_core.ModuleLaps):
    """The laps of one thread's modules."""

    COMPILED = "inside compiled graph"

    def __new__(cls, torch: Any, core: Any, *_: Any) -> ModuleLaps:
        return super().__new__(cls, torch, core)

    def __init__(
        self,
        torch: Any,
        core: Any,
        names: RootNames | None = None,
        hooks: NodeHooks | None = None,
    ) -> None:
        self._torch = torch
        self._core = core
        self.SEQUENCE = torch.nn.Sequential
        self.names = names or RootNames()
        self.hooks = hooks or NodeHooks(core)

    def name_of_root(self, module: Any) -> str:
        """The name of an outermost module."""
        return self.names.name(module)

    def name_of(self, parent: Any, module: Any) -> str:
        """A module's attribute path from the one that calls it, or its class."""
        if parent is not None:
            for name, found in _inside(parent):
                if found is module:
                    return name
        return type(module).__name__

    def class_of(self, module: Any) -> str | None:
        """The name of a module's class, not that of what `torch.compile` made of it."""
        # What a class of its own says to `isinstance` is the program's.
        if not issubclass(type(module), self._torch.nn.Module):
            return None
        return type(_children(module).get("_orig_mod", module)).__name__

    def make_tag(self, reached: Callable[[Any], None]) -> Any:
        """A tensor by which `reached` is called when the engine reaches a node."""
        binding = self._torch._C
        traced = binding._get_tracing_state()
        is_profiled = binding._autograd._profiler_enabled()
        # Else it would stand in the program's graph, and in what its profiler tells.
        binding._set_tracing_state(None)
        if is_profiled:
            binding._autograd._enable_record_function(False)
        try:
            with binding._DisableTorchDispatch(), binding.DisableTorchFunction():
                tag = self._torch.empty(0, device="cpu")
        finally:
            binding._set_tracing_state(traced)
            if is_profiled:
                binding._autograd._enable_record_function(True)
        tag._backward_hooks = self.hooks.of(reached)
        return tag

    def tag_several(self, values: Any, place: _core.CalledModule) -> None:
        """Tags the tensors of a tuple, a list or a dictionary, those made first first."""
        kind, own = self._torch.Tensor, type(values)
        several: list[Any] = []
        if issubclass(own, kind):
            several = [values]
        elif issubclass(own, dict):
            several = list(dict.values(values))
        elif issubclass(own, tuple):
            several = list(tuple.__iter__(values))
        elif issubclass(own, list):
            several = list(list.__iter__(values))
        several = [value for value in several if issubclass(type(value), kind)]
        if several:
            # What a class of tensors does when it is asked is the program's.
            with self._torch._C.DisableTorchFunction():
                tensors = [value for value in several if value.grad_fn is not None]
                for value in sorted(tensors, key=lambda tensor: tensor.grad_fn._sequence_nr()):
                    self.tag_tensor(value, place)

    def gave_up(self, error: Exception) -> None:
        """Nothing is tagged any more."""
        told = f"{type(error).__name__}: {error}"
        warn(f"backward is not split by module: {told}")

    def replay(self, reached: list[tuple[int, _core.CalledModule | None]]) -> None:
        """Writes what the engine's own threads did, under the backward that waited for them."""
        open_span, close_span = self._core.open_span, self._core.close_span
        end = self._core.now()
        opened: list[tuple[_core.CalledModule, int]] = []
        for at, chain in [*((at, _chain(place)) for at, place in reached), (end, [])]:
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


def _chain(place: _core.CalledModule | None) -> list[_core.CalledModule]:
    chain: list[_core.CalledModule] = []
    while place is not None:
        chain.insert(0, place)
        place = place.parent
    return chain


def _own(module: Any, name: str) -> dict[str, Any]:
    """A module's own dictionary of that name; whatever its class does to those who ask for it."""
    found = object.__getattribute__(module, "__dict__").get(name)
    return found if isinstance(found, dict) else {}


def _children(module: Any) -> dict[str, Any]:
    """Modules by their names: a scripted one answers for its own, which is no dictionary."""
    found = _own(module, "_modules")
    if not found and type(module).__module__ == "torch.jit._script":
        return dict(module._modules.items())
    return found


def _inside(module: Any) -> Iterator[tuple[str, Any]]:
    """The modules inside one, each once, by their paths."""
    seen: set[int] = set()
    waiting = [("", module)]
    while waiting:
        path, one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if path:
            yield path, one
        children = [
            (f"{path}.{name}" if path else str(name), child)
            for name, child in _children(one).items()
            if child is not None
        ]
        waiting.extend(reversed(children))


def parameters(torch: Any, module: Any) -> Iterator[Any]:
    """The parameters of a module and of those inside: no method of its class is called."""
    if type(module).__module__ == "torch.jit._script":
        yield from module.parameters()
        return
    for one in (module, *(inside for _, inside in _inside(module))):
        if one is not module and type(one).__module__ == "torch.jit._script":
            yield from one.parameters()
        else:
            yield from (found for found in _own(one, "_parameters").values() if found is not None)
