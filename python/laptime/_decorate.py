"""What `@lt.lap` makes of a function.

The result is a Python function of the same kind (plain, coroutine, generator, asynchronous
generator), so that `inspect`, frameworks and `torch.compile` see what they expect.
"""

import functools
from collections.abc import AsyncGenerator, Callable, Generator
from types import FunctionType as _Function
from typing import Any

from ._core import Pieces, lap

_GENERATOR = 0x20
_COROUTINE = 0x80 | 0x100
_ASYNC_GENERATOR = 0x200


def decorate(
    function: Any,
    name: str | None = None,
    *,
    flop: int | None = None,
    bytes: int | None = None,
) -> Any:
    """Returns the function, timed by a lap. Its name is the qualified name by default.

    `flop` and `bytes` are what each call does, where that is known.
    """
    called: Any = function
    kind: Any
    for kind in (staticmethod, classmethod):
        if isinstance(called, kind):
            return kind(decorate(called.__func__, name, flop=flop, bytes=bytes))
    if isinstance(called, type):
        raise TypeError(f"lap() cannot wrap the class {called.__qualname__}; decorate its methods")
    if not callable(function):
        raise TypeError(f"lap() decorates functions, not {type(called).__name__}")
    if name is None:
        qualified = getattr(called, "__qualname__", None)
        name = str(qualified or type(called).__qualname__)
    flags = _code_flags(called)
    said = flop is not None or bytes is not None
    work = {"flop": flop, "bytes": bytes} if said else {}
    if flags & _ASYNC_GENERATOR:
        wrapper = _around_async_generator(called, name, work)
    elif flags & _COROUTINE:
        wrapper = _around_coroutine(called, name, work)
    elif flags & _GENERATOR:
        wrapper = _around_generator(called, name, work)
    else:
        wrapper = _around_call(called, name, work)
        _forward_methods(wrapper, called)
    return functools.update_wrapper(wrapper, called)


def _forward_methods(wrapper: Any, called: object) -> None:
    """A callable object stays reachable by its methods, such as `cache_clear` of `lru_cache`."""
    kind: Any = type(called)
    if kind in (_Function, type(len), type(wrapper.__get__)):
        return
    for method in dir(kind):
        if not method.startswith("_") and callable(getattr(kind, method, None)):
            setattr(wrapper, method, getattr(called, method))


def _code_flags(function: Any) -> int:
    while isinstance(function, functools.partial):
        function = function.func
    function = getattr(function, "__func__", function)
    return int(getattr(getattr(function, "__code__", None), "co_flags", 0))


def _around_call(
    function: Callable[..., Any], name: str, work: dict[str, int | None]
) -> Callable[..., Any]:
    open_lap = lap
    if work:

        def with_work(*args: Any, **kwargs: Any) -> Any:
            with open_lap(name, **work):
                return function(*args, **kwargs)

        return _at_home(with_work, function)

    def wrapper(*args: Any, **kwargs: Any) -> Any:
        with open_lap(name):
            return function(*args, **kwargs)

    return _at_home(wrapper, function)


def _at_home(wrapper: Any, function: Any) -> Any:
    """The wrapper with the globals of what it wraps: there `torch.jit.script` looks names up."""
    if not isinstance(function, _Function):
        return wrapper
    code, closure = wrapper.__code__, wrapper.__closure__
    return _Function(code, function.__globals__, function.__name__, None, closure)


def _around_coroutine(
    function: Callable[..., Any], name: str, work: dict[str, int | None]
) -> Callable[..., Any]:
    if work:

        async def with_work(*args: Any, **kwargs: Any) -> Any:
            with lap(name, **work):
                return await function(*args, **kwargs)

        return with_work

    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        with lap(name):
            return await function(*args, **kwargs)

    return wrapper


def _around_generator(
    function: Callable[..., Generator[Any, Any, Any]], name: str, work: dict[str, int | None]
) -> Callable[..., Any]:
    def wrapper(*args: Any, **kwargs: Any) -> Generator[Any, Any, Any]:
        pieces = Pieces(name, **work)
        generator = function(*args, **kwargs)
        resume: Callable[[Any], Any] = generator.send
        sent: Any = None
        try:
            while True:
                pieces.resume()
                try:
                    item = resume(sent)
                except StopIteration as stop:
                    return stop.value
                finally:
                    pieces.pause()
                try:
                    sent = yield item
                    resume = generator.send
                except GeneratorExit:
                    pieces.resume()
                    generator.close()
                    raise
                except BaseException as error:
                    sent, resume = error, generator.throw
        finally:
            pieces.finish()

    return wrapper


def _around_async_generator(
    function: Callable[..., AsyncGenerator[Any, Any]], name: str, work: dict[str, int | None]
) -> Callable[..., Any]:
    async def wrapper(*args: Any, **kwargs: Any) -> AsyncGenerator[Any, Any]:
        pieces = Pieces(name, **work)
        generator = function(*args, **kwargs)
        resume: Callable[[Any], Any] = generator.asend
        sent: Any = None
        try:
            while True:
                pieces.resume()
                try:
                    item = await resume(sent)
                except StopAsyncIteration:
                    return
                finally:
                    pieces.pause()
                try:
                    sent = yield item
                    resume = generator.asend
                except GeneratorExit:
                    pieces.resume()
                    await generator.aclose()
                    raise
                except BaseException as error:
                    sent, resume = error, generator.athrow
        finally:
            pieces.finish()

    return wrapper
