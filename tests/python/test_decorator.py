"""`@lt.lap` on every kind of function."""

from __future__ import annotations

import asyncio
import functools
import inspect
import math
from collections.abc import AsyncIterator, Generator, Iterator
from typing import Any

import pytest

import laptime as lt
from laptime import _core

pytestmark = pytest.mark.interpreter


def test_a_function_stays_a_function_with_its_name_and_signature() -> None:
    @lt.lap
    def add(a: int, b: int = 2) -> int:
        "Adds."
        return a + b

    assert inspect.isfunction(add)
    assert (add(1), add(1, 5), add(a=1, b=1)) == (3, 6, 2)
    assert add.__name__ == "add"
    assert add.__doc__ == "Adds."
    assert list(inspect.signature(add).parameters) == ["a", "b"]
    qualified = "test_a_function_stays_a_function_with_its_name_and_signature.<locals>.add"
    assert add.__qualname__ == qualified
    assert lt.report()[(qualified,)].count == 3


def test_a_name_can_be_given() -> None:
    @lt.lap("given name")
    def work() -> str:
        return "/".join(_core.current_path())

    assert work() == "given name"


def test_methods_static_methods_and_class_methods() -> None:
    class Model:
        @lt.lap("method")
        def method(self) -> Any:
            return self

        @lt.lap("class method")
        @classmethod
        def build(cls) -> Any:
            return cls

        @staticmethod
        @lt.lap("static method")
        def twice(x: int) -> int:
            return 2 * x

        @lt.lap("static outside")
        @staticmethod
        def thrice(x: int) -> int:
            return 3 * x

    model = Model()
    assert model.method() is model
    assert Model.build() is Model
    assert Model.twice(2) == 4
    assert model.thrice(2) == 6
    report = lt.report()
    for name in ("method", "class method", "static method", "static outside"):
        assert report[(name,)].count == 1


def test_an_exception_passes_through_a_decorated_function() -> None:
    @lt.lap("fails")
    def fails() -> None:
        raise KeyError("x")

    with pytest.raises(KeyError):
        fails()
    assert _core.current_path() == []
    assert lt.report()[("fails",)].count == 1


def test_a_partial_and_a_callable_object_are_wrapped() -> None:
    class Callable:
        def __call__(self) -> int:
            return 7

    assert lt.lap("object")(Callable())() == 7
    assert lt.lap("partial")(functools.partial(int, "8"))() == 8


def test_a_class_is_refused() -> None:
    with pytest.raises(TypeError, match="decorate its methods"):
        lt.lap(int)


def test_a_coroutine_function_stays_one() -> None:
    @lt.lap("coroutine")
    async def work(x: int) -> int:
        await asyncio.sleep(0)
        return x + 1

    assert inspect.iscoroutinefunction(work)
    assert asyncio.run(work(1)) == 2
    assert lt.report()[("coroutine",)].count == 1


def test_a_generator_is_one_span_of_the_time_it_ran() -> None:
    @lt.lap("generator")
    def numbers() -> Iterator[int]:
        for number in range(5):
            with lt.lap("making"):
                pass
            yield number

    assert inspect.isgeneratorfunction(numbers)
    with lt.lap("consumer"):
        for _ in numbers():
            assert _core.current_path() == ["consumer"]
            with lt.lap("consuming"):
                sum(range(20_000))
    report = lt.report()
    row = report["consumer/generator"]
    assert row.count == 1
    assert report["consumer/generator/making"].count == 5
    assert report["consumer/consuming"].count == 5
    assert row.suspended_wall_ns is not None
    consuming = report["consumer/consuming"].total_ns
    assert row.suspended_wall_ns > consuming
    assert row.total_ns <= report["consumer"].total_ns - consuming


def test_a_generator_passes_on_what_is_sent_thrown_and_returned() -> None:
    events: list[Any] = []

    @lt.lap("conversation")
    def talk() -> Generator[int, str, str]:
        try:
            events.append((yield 1))
            yield 2
        except ValueError as error:
            events.append(error.args)
            yield 3
        return "end"

    generator = talk()
    assert next(generator) == 1
    assert generator.send("hello") == 2
    assert generator.throw(ValueError("thrown")) == 3
    with pytest.raises(StopIteration) as stop:
        next(generator)
    assert stop.value.value == "end"
    assert events == ["hello", ("thrown",)]
    assert lt.report()[("conversation",)].count == 1


def test_a_generator_left_early_is_closed_and_counted() -> None:
    closed: list[bool] = []

    @lt.lap("left early")
    def numbers() -> Iterator[int]:
        try:
            yield 1
            yield 2
        finally:
            closed.append(True)

    for _ in numbers():
        break
    assert closed == [True]
    assert _core.current_path() == []
    assert lt.report()[("left early",)].count == 1


def test_a_generator_that_raises_is_counted() -> None:
    @lt.lap("raises inside")
    def numbers() -> Iterator[int]:
        yield 1
        raise OSError("no")

    with pytest.raises(OSError, match="no"):
        list(numbers())
    assert lt.report()[("raises inside",)].count == 1


def test_a_generator_never_started_leaves_no_span() -> None:
    @lt.lap("never started")
    def numbers() -> Iterator[int]:
        yield 1

    numbers()
    assert "never started" not in lt.report()


def test_interleaved_generators_do_not_nest() -> None:
    @lt.lap("left")
    def left() -> Iterator[int]:
        yield from range(10)

    @lt.lap("right")
    def right() -> Iterator[int]:
        yield from range(10)

    assert len(list(zip(left(), right(), strict=True))) == 10
    report = lt.report()
    assert report[("left",)].count == 1
    assert report[("right",)].count == 1
    assert "left/right" not in report
    assert "right/left" not in report


def test_an_asynchronous_generator_is_one_span() -> None:
    @lt.lap("async generator")
    async def numbers() -> AsyncIterator[int]:
        for number in range(4):
            await asyncio.sleep(0)
            yield number

    async def main() -> list[int]:
        return [number async for number in numbers()]

    assert inspect.isasyncgenfunction(numbers)
    assert asyncio.run(main()) == [0, 1, 2, 3]
    assert lt.report()[("async generator",)].count == 1


def test_an_asynchronous_generator_left_early_is_closed() -> None:
    closed: list[bool] = []

    @lt.lap("async left early")
    async def numbers() -> AsyncIterator[int]:
        try:
            yield 1
            yield 2
        finally:
            closed.append(True)

    async def main() -> None:
        generator: Any = numbers()
        async for _ in generator:
            break
        await generator.aclose()

    asyncio.run(main())
    assert closed == [True]
    assert lt.report()[("async left early",)].count == 1


def doubled(x: int) -> float:
    return 2.0 * float(x) * math.pi


decorated_twice = lt.lap("scripted")(lt.lap(doubled))


def test_torch_scripts_a_decorated_function_as_the_original() -> None:
    torch = pytest.importorskip("torch")
    scripted = torch.jit.script(decorated_twice)
    assert scripted(3) == torch.jit.script(doubled)(3) == doubled(3)


def test_a_decorated_function_has_the_globals_of_its_module() -> None:
    assert decorated_twice.__globals__ is globals()  # type: ignore[attr-defined]
    assert inspect.getclosurevars(decorated_twice).globals == {}
