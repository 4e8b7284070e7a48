"""What can be reached from a program's roots, as lines of text by path.

A line says what stands at its path in a way that is the same in every run: values, sizes, orders,
and where an object was met before. Beside it `places` keeps which object it is, for comparisons
within one run. `difference` compares two of them, `tensors` describes a tensor.
"""

from __future__ import annotations

import collections
import contextvars
import functools
import io
import operator
import random
import types
import weakref
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import torch

from laptime import _core

from .surroundings import digest, numpy_state
from .tensors import described, is_real

#: Worth a look into, though their class says nothing of it.
_SCALARS = (
    type(None),
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    torch.dtype,
    torch.device,
    torch.Size,
)
#: Larger than these may be an object's identity, which no two runs share.
_IDENTITY = 1 << 32
#: Their insides belong to the machinery, or to the test.
_CLOSED = (
    types.ModuleType,
    types.CodeType,
    types.FrameType,
    torch.utils.hooks.RemovableHandle,
    torch.distributed.ProcessGroup,
)
#: Number their tensors through the whole process; what they hold shows in the weights.
_SHARDING = ("FSDPState", "FSDPParamGroup", "FSDPParam")
_SOURCES = (types.GeneratorType, enumerate, zip, map, filter, _core.Taken)
_ITERATORS = (type(iter([])), type(iter(())), type(iter(range(0))), type(iter({})))
_CACHED = type(functools.lru_cache(lambda: None))


class Fingerprint:
    """Lines and identities of everything below some roots."""

    def __init__(self, roots: Mapping[str, Any], *, program: types.ModuleType) -> None:
        self.lines: dict[str, str] = {}
        self.places: dict[str, tuple[int, ...]] = {}
        self._program = program.__name__
        self._met: dict[int, str] = {}
        self._kept: list[Any] = []  # so that no identity is given away again
        for name, root in roots.items():
            self._walk(name, root)
        names = vars(program)
        for name in sorted(names):
            if not name.startswith("__") and not isinstance(names[name], types.ModuleType):
                if name not in ("tick", "probe"):
                    self._walk(f"global {name}", names[name])

    def _walk(self, path: str, value: Any) -> None:
        if isinstance(value, _SCALARS):
            self.lines[path] = self._scalar(value)
            return
        if isinstance(value, _SOURCES) or type(value).__module__ == "itertools":
            # One that can't be set back is stood in for; what it gives next shows in what follows.
            self.lines[path] = "an iterator"
            return
        if type(value) is tuple and any(isinstance(it, _SOURCES) for it in value):
            # It is another tuple then, where the step finds it.
            self.lines[path] = f"{len(value)} iterators"
            return
        met = self._met.get(id(value))
        if met is not None:
            self.lines[path] = f"same as {met}"
            self.places[path] = (id(value),)
            return
        self._met[id(value)] = path
        self._kept.append(value)
        self.places[path] = (id(value),)
        self.lines[path] = self._name(value)
        self._inside(path, value)

    def _scalar(self, value: Any) -> str:
        if type(value) is int and value > _IDENTITY and value in self._met:
            return f"identity of {self._met[value]}"
        return f"{type(value).__name__} {value!r}"

    def _name(self, value: Any) -> str:
        if isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
            return f"{value.__module__}.{value.__qualname__}"
        return f"a {type(value).__module__}.{type(value).__qualname__}"

    def _inside(self, path: str, value: Any) -> None:
        if isinstance(value, torch.Tensor):
            self._tensor(path, value)
        elif isinstance(value, torch.jit.ScriptModule):
            self._script(path, value)
        elif isinstance(value, type):
            # Of other classes, what is imported later may change attributes.
            if value.__module__ == self._program:
                for name, attribute in sorted(vars(value).items()):
                    if name not in ("__dict__", "__weakref__", "__doc__", "__module__"):
                        self._walk(f"{path}.{name}", attribute)
        elif isinstance(value, _CLOSED) or type(value).__name__ in _SHARDING:
            pass
        else:
            for kinds, look in _LOOKS:
                if isinstance(value, kinds):
                    look(self, path, value)
                    break
            self._attributes(path, value)

    # -- tensors

    def _tensor(self, path: str, tensor: torch.Tensor) -> None:
        self.lines[path] = described(tensor)
        if is_real(tensor) and tensor.layout == torch.strided:
            self.places[path] = (id(tensor), tensor.data_ptr(), tensor.untyped_storage()._cdata)
        if tensor.is_leaf:
            self._walk(f"{path}.grad", tensor.grad)
        for name in ("_backward_hooks", "_post_accumulate_grad_hooks"):
            self._walk(f"{path}.{name}", getattr(tensor, name, None))
        local = getattr(tensor, "_local_tensor", None)
        if local is not None:
            self._walk(f"{path}._local_tensor", local)
        for name, attribute in sorted(vars(tensor).items()):
            self._walk(f"{path}.{name}", attribute)

    def _script(self, path: str, module: torch.jit.ScriptModule) -> None:
        for name, tensor in (*module.named_parameters(), *module.named_buffers()):
            self._walk(f"{path}.{name}", tensor)
        for name, part in module.named_modules():
            self.lines[f"{path}.{name}.training"] = str(part.training)

    # -- containers

    def _mapping(self, path: str, value: Mapping[Any, Any]) -> None:
        keys = list(value)
        self.lines[path] = f"{self._name(value)} of {len(keys)}"
        if "hook" in path.rsplit(".", 1)[-1] and all(type(key) is int for key in keys):
            # Handles are numbered through the whole process.
            self.places[path] = (id(value), *keys)
            for index, key in enumerate(keys):
                self._walk(f"{path}[{index}]", value[key])
            return
        for index, key in enumerate(keys):
            if isinstance(key, _SCALARS):
                name = self._scalar(key) if type(key) is int else repr(key)
            elif isinstance(key, (tuple, frozenset, type)):
                name = repr(key) if "0x" not in repr(key) else f"key {index}"
            else:
                self._walk(f"{path}.key({index})", key)
                name = self._met[id(key)]
            self.lines[f"{path}.order({index})"] = name
            self._walk(f"{path}[{name}]", value[key])

    def _sequence(self, path: str, value: Any) -> None:
        self.lines[path] = f"{self._name(value)} of {len(value)}"
        if isinstance(value, collections.deque):
            self.lines[path] += f", at most {value.maxlen}"
        for index, item in enumerate(list(value)):
            self._walk(f"{path}[{index}]", item)

    def _set(self, path: str, value: Any) -> None:
        plain = sorted(repr(item) for item in value if isinstance(item, _SCALARS))
        met = sorted(self._met[id(item)] for item in value if id(item) in self._met)
        self.lines[path] = f"{self._name(value)} of {len(value)}: {plain} {met}"

    # -- what goes on

    def _iterator(self, path: str, value: Any) -> None:
        self.lines[path] += f", {operator.length_hint(value)} left"

    def _function(self, path: str, value: types.FunctionType) -> None:
        for name, cell in zip(value.__code__.co_freevars, value.__closure__ or ()):
            try:
                held = cell.cell_contents
            except ValueError:
                self.lines[f"{path}.{name}"] = "an empty cell"
                continue
            self._walk(f"{path}.{name}", held)
        self._walk(f"{path}.__defaults__", value.__defaults__)
        self._walk(f"{path}.__kwdefaults__", value.__kwdefaults__)

    def _method(self, path: str, value: types.MethodType) -> None:
        self._walk(f"{path}.__self__", value.__self__)
        self._walk(f"{path}.__func__", value.__func__)

    def _partial(self, path: str, value: functools.partial[Any]) -> None:
        self._walk(f"{path}.func", value.func)
        self._walk(f"{path}.args", value.args)
        self._walk(f"{path}.keywords", value.keywords)

    def _cache(self, path: str, value: Any) -> None:
        # How often it was asked can't be set, and says nothing of what the program computes.
        self.lines[path] += f", {value.cache_info().currsize} kept"
        import gc

        for index, held in enumerate(gc.get_referents(value)):
            if isinstance(held, (torch.Tensor, dict)):
                self._walk(f"{path}.kept({index})", held)

    def _numbers(self, path: str, value: np.ndarray) -> None:
        self.lines[path] += f" {value.dtype} {value.shape} {digest(value.tobytes())} {value!r:.60}"

    def _state(self, path: str, value: Any) -> None:
        if isinstance(value, torch.Generator):
            state = bytes(value.get_state().numpy())
        elif isinstance(value, random.Random):
            state = repr(value.getstate()).encode()
        elif isinstance(value, np.random.Generator):
            state = repr(value.bit_generator.state).encode()
        else:
            state = numpy_state(value)
        self.lines[path] += f" at {digest(state)}"

    def _text(self, path: str, value: io.StringIO) -> None:
        self.lines[path] += f" {value.getvalue()!r} at {value.tell()}"

    def _reference(self, path: str, value: weakref.ref[Any]) -> None:
        self._walk(f"{path}()", value())

    def _property(self, path: str, value: property) -> None:
        self._walk(f"{path}.fget", value.fget)

    def _wrapped(self, path: str, value: Any) -> None:
        self._walk(f"{path}.__func__", value.__func__)

    def _variable(self, path: str, value: Any) -> None:
        self._walk(f"{path}.get()", value.get(None))

    def _attributes(self, path: str, value: Any) -> None:
        if isinstance(value, _OPAQUE):
            return
        if type(value).__name__ == "OptimizedModule":  # the rest is the compiler's own
            self.lines[f"{path}.__dict__"] = str(sorted(vars(value)))
            self._walk(f"{path}._orig_mod", value._orig_mod)
            return
        try:
            attributes = vars(value)
        except TypeError:
            attributes = {}
        for name, attribute in sorted(attributes.items(), key=_by_name):
            if name not in ("__wrapped__", "__annotations__", "__doc__"):
                self._walk(f"{path}.{name}", attribute)
        for kind in type(value).__mro__:
            slots = vars(kind).get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else tuple(slots):
                if name not in ("__dict__", "__weakref__") and hasattr(value, name):
                    self._walk(f"{path}.{name}", getattr(value, name))


def _by_name(item: tuple[Any, Any]) -> str:
    return str(item[0])


_GENERATORS = (torch.Generator, random.Random, np.random.Generator, np.random.RandomState)
_OPAQUE = (*_GENERATORS, *_ITERATORS, np.ndarray, io.StringIO, weakref.ref)
_LOOKS: tuple[tuple[Any, Callable[..., None]], ...] = (
    (types.FunctionType, Fingerprint._function),
    (types.MethodType, Fingerprint._method),
    ((dict, types.MappingProxyType, collections.UserDict), Fingerprint._mapping),
    ((list, tuple, collections.deque), Fingerprint._sequence),
    ((set, frozenset), Fingerprint._set),
    (_ITERATORS, Fingerprint._iterator),
    (functools.partial, Fingerprint._partial),
    (_CACHED, Fingerprint._cache),
    (np.ndarray, Fingerprint._numbers),
    (_GENERATORS, Fingerprint._state),
    (io.StringIO, Fingerprint._text),
    (weakref.ref, Fingerprint._reference),
    (property, Fingerprint._property),
    (contextvars.ContextVar, Fingerprint._variable),
    ((staticmethod, classmethod), Fingerprint._wrapped),
)
