"""What a function reaches by the names in its code, the nearest first.

Out of a function come the globals that its code names, what it closes over and its defaults; out
of an object its attributes and its methods; out of a container what is in it. Nothing is called
and nothing imported. Which framework a function is of, and what state of it a count must keep,
are both asked of these.
"""

from __future__ import annotations

import dis
import functools
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# A function that reaches more than that is an application: what is near decides.
LIMIT = 20_000
FRAMEWORKS = {"torch": "torch", "jax": "jax", "jaxlib": "jax", "flax": "jax"}
# Tools that serve any framework: a loader of batches, a log for a board.
TOOLS = ("torch.utils.data", "torch.utils.tensorboard")
NUMBERS = (str, bytes, bytearray, int, float, complex, bool, type(None), type(Ellipsis))


def layers(target: Any) -> Iterator[list[Any]]:
    """The target, then what it reaches by one name, by two, and so on."""
    seen: dict[int, Any] = {}
    layer = [target]
    while layer and len(seen) < LIMIT:
        fresh: list[Any] = []
        for it in layer:
            if id(it) not in seen and not isinstance(it, NUMBERS):
                seen[id(it)] = it
                fresh.append(it)
        yield fresh
        layer = [inner for it in fresh if framework_of(it) is None for inner in _named_by(it)]


def framework_of(it: Any) -> str | None:
    """The framework that something is a part or an instance of."""
    if isinstance(it, types.ModuleType):
        homes = [it.__name__]
    elif isinstance(it, types.BuiltinFunctionType):
        homes = [it.__module__, getattr(it.__self__, "__module__", None)]
    elif isinstance(it, types.MethodType):
        return framework_of(it.__self__)
    elif isinstance(it, (type, types.FunctionType)):
        homes = [it.__module__]
        if isinstance(it, type):
            homes += [base.__module__ for base in it.__mro__]
    else:
        homes = [kind.__module__ for kind in type(it).__mro__]
    for home in homes:
        if isinstance(home, str) and not home.startswith(TOOLS):
            found = FRAMEWORKS.get(home.partition(".")[0])
            if found is not None:
                return found
    return None


def _named_by(it: Any) -> Iterator[Any]:
    """What something leads to by one name."""
    if isinstance(it, functools.partial):
        yield from (it.func, *it.args, *it.keywords.values())
    elif isinstance(it, types.MethodType):
        yield from (it.__func__, it.__self__)
    elif isinstance(it, types.FunctionType):
        yield from _named_in(it)
    elif isinstance(it, dict):
        yield from tuple(it.values())
    elif isinstance(it, (list, tuple, set, frozenset)):
        yield from tuple(it)
    elif isinstance(it, type):
        for kind in it.__mro__:
            if kind.__module__ not in sys.stdlib_module_names:
                yield from (v for v in tuple(vars(kind).values()) if _is_method(v))
    elif not isinstance(it, types.ModuleType):
        yield type(it)
        yield from _attributes(it)


def _is_method(value: Any) -> bool:
    return isinstance(value, (types.FunctionType, staticmethod, classmethod, property))


def _attributes(it: Any) -> Iterator[Any]:
    if isinstance(it, (staticmethod, classmethod)):
        yield it.__func__
    elif isinstance(it, property):
        yield it.fget
    held = getattr(it, "__dict__", None)
    if isinstance(held, dict):
        yield from tuple(held.values())
    for kind in type(it).__mro__:
        for name in vars(kind).get("__slots__", ()):
            slot = vars(kind).get(name)
            if isinstance(slot, types.MemberDescriptorType):
                try:
                    yield slot.__get__(it)
                except AttributeError:  # Nothing was put there.
                    continue


def _named_in(function: types.FunctionType) -> Iterator[Any]:
    """What a function closes over, its defaults, and the globals that its code names."""
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # Nothing was put there yet.
            continue
    yield from function.__defaults__ or ()
    yield from (function.__kwdefaults__ or {}).values()
    yield from vars(function).values()
    scope = function.__globals__
    codes = [function.__code__]
    while codes:
        code = codes.pop()
        codes += [it for it in code.co_consts if isinstance(it, types.CodeType)]
        for name in code.co_names:
            if name not in scope:
                continue
            value = scope[name]
            yield value
            if isinstance(value, types.ModuleType) and framework_of(value) is None:
                if value.__name__.partition(".")[0] in sys.stdlib_module_names:
                    continue
                yield from (vars(value)[it] for it in code.co_names if it in vars(value))
        yield from _imported_in(code, scope)


def _imported_in(code: types.CodeType, scope: dict[str, Any]) -> Iterator[Any]:
    """The modules that code imports where it runs, as far as they are loaded."""
    maybe = {name for name in code.co_names if name not in scope and name in sys.modules}
    maybe = {it for it in maybe if it.partition(".")[0] not in sys.stdlib_module_names}
    if not maybe:  # An attribute may have a module's name: the instructions tell.
        return
    for line in dis.get_instructions(code):
        if line.opname == "IMPORT_NAME" and line.argval in maybe:
            yield sys.modules[line.argval]
