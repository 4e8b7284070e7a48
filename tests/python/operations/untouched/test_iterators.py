"""A generator that a counted step took of is, for whatever the program does with it, as before."""

from __future__ import annotations

import inspect
import itertools
import random
from collections.abc import Callable, Iterator
from types import GeneratorType
from typing import Any

import pytest

import laptime as lt

torch = pytest.importorskip("torch")

ENDED: list[str] = []


def plain() -> Iterator[int]:
    for at in range(5):
        yield at + 1


def through() -> Iterator[int]:
    yield from plain()


def returning() -> Iterator[int]:
    for at in range(3):
        yield at + 1
    return "the end"


def cleaning() -> Iterator[int]:
    try:
        for at in range(5):
            yield at + 1
    finally:
        ENDED.append("cleaned")


def receiving() -> Iterator[Any]:
    got = yield 1
    while got != "stop":
        got = yield (2, got)


MADE: dict[str, Callable[[], Iterator[Any]]] = {
    "plain": plain,
    "through another": through,
    "returning": returning,
    "cleaning": cleaning,
    "an expression": lambda: (at * at for at in range(4)),
    "receiving": receiving,
}

#: What a program does with a generator.
DOES: dict[str, Callable[[Any], Any]] = {
    "next": next,
    "send nothing": lambda it: it.send(None),
    "send": lambda it: it.send(7),
    "throw": lambda it: it.throw(KeyError("thrown")),
    "close": lambda it: it.close(),
    "some": lambda it: list(itertools.islice(it, 2)),
    "delegate": lambda it: list(_delegates(it)),
    "class": lambda it: (isinstance(it, GeneratorType), inspect.isgenerator(it)),
}


def _delegates(it: Any) -> Iterator[Any]:
    last = yield from itertools.islice(it, 1)
    yield last
    last = yield from it
    yield last
    last = yield from it
    yield last


def done(it: Any, does: list[str]) -> list[Any]:
    """What comes of it."""
    seen = []
    for one in does:
        try:
            seen.append(DOES[one](it))
        except Exception as error:
            seen.append((type(error), str(error)))
    return seen


class Step:
    def __init__(self, source: Any, pulls: int) -> None:
        self.source, self.pulls = source, pulls

    def __call__(self) -> Any:
        for _ in range(self.pulls):
            next(self.source, None)
        return torch.ones(2, 2) @ torch.ones(2, 2)


@pytest.mark.parametrize("kind", MADE)
def test_a_program_goes_on_with_a_generator_as_if_nothing_had_been_taken(kind: str) -> None:
    chance = random.Random(kind)
    for _ in range(25):
        # The program ends it in one program of two: what is left of it then shows.
        does = chance.choices(list(DOES), k=chance.randint(1, 5))
        begun = 0 if kind == "receiving" else chance.randint(0, 1)
        pulls = 1 if kind == "receiving" else chance.choice([0, 1, 2, 9])
        if kind == "receiving":
            does = [one for one in does if one != "some" and one != "delegate"]
        if kind == "through another":
            does = [one for one in does if one != "send"]
        counted, other = Step(MADE[kind](), pulls), MADE[kind]()
        for _ in range(begun):
            assert next(counted.source) == next(other)
        for _ in range(chance.randint(1, 2)):
            lt.count(counted, mode=chance.choice(["auto", "real"]))
        assert done(counted.source, does) == done(other, does), (does, begun, pulls)


def test_a_closed_generator_cleans_up_and_gives_nothing() -> None:
    step = Step(cleaning(), 2)
    lt.count(step)
    ENDED.clear()
    step.source.close()
    assert ENDED == ["cleaned"]
    assert list(step.source) == []


def test_a_generator_that_is_let_go_of_cleans_up() -> None:
    step = Step(cleaning(), 1)
    lt.count(step)
    ENDED.clear()
    step.source = None
    assert ENDED == ["cleaned"]


def test_a_fresh_generator_that_could_be_sent_values_is_counted() -> None:
    step = Step(receiving(), 3)
    lt.count(step)
    assert [next(step.source) for _ in range(4)] == [1, (2, None), (2, None), (2, None)]
    assert step.source.send(5) == (2, 5)


def test_a_value_that_comes_too_late_is_an_error() -> None:
    step = Step(receiving(), 2)
    lt.count(step)
    assert next(step.source) == 1
    with pytest.raises(lt.LaptimeError, match="is sent a value"):
        step.source.send(5)


def test_a_generator_that_catches_what_is_thrown_too_late_is_an_error() -> None:
    def catching() -> Iterator[int]:
        for at in range(4):
            try:
                yield at
            except KeyError:
                yield -1

    step = Step(catching(), 1)
    next(step.source)
    lt.count(step)
    with pytest.raises(lt.LaptimeError, match="catches"):
        step.source.throw(KeyError())


def test_an_iterator_that_is_no_generator_takes_nothing_more_than_before() -> None:
    step = Step(itertools.count(5), 1)
    lt.count(step)
    assert isinstance(step.source, itertools.count)
    assert not hasattr(step.source, "send")
    assert next(step.source) == 5
