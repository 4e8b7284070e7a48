"""NumPy's arrays are after a count as they were, whatever a step does to them."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest

import laptime as lt

np: Any = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")


def locked() -> Any:
    made = np.arange(6.0)
    made.setflags(write=False)
    return made


MADE: dict[str, Callable[[], Any]] = {
    "a vector": lambda: np.arange(6.0),
    "a matrix": lambda: np.arange(6.0).reshape(2, 3).copy(),
    "by columns": lambda: np.asfortranarray(np.arange(6.0).reshape(2, 3)),
    "a view": lambda: np.arange(12.0)[::2],
    "numbers of another type": lambda: np.arange(6),
    "objects": lambda: np.array([[1], "b", None, 2.0, 5, 6], dtype=object),
    "one number": lambda: np.array(3.0),
    "nothing": lambda: np.zeros((0, 3)),
    "locked": locked,
}

#: What a step does to an array; some of it NumPy refuses some arrays.
DOES: dict[str, Callable[[Any], Any]] = {
    "a value": lambda it: it.__setitem__(0, 9),
    "all values": lambda it: it.fill(9),
    "shape": lambda it: setattr(it, "shape", (3, 2)),
    "one row": lambda it: setattr(it, "shape", -1),
    "type": lambda it: setattr(it, "dtype", np.uint8),
    "lock": lambda it: it.setflags(write=False),
    "unlock": lambda it: it.setflags(write=True),
    "grow": lambda it: it.resize(9, refcheck=False),
    "shrink": lambda it: it.resize((2, 1), refcheck=False),
}


class Step:
    def __init__(self, array: Any, does: list[str]) -> None:
        self.array, self.does = array, does

    def __call__(self) -> Any:
        for one in self.does:
            with suppress(ValueError, AttributeError, IndexError, TypeError):
                DOES[one](self.array)
        return torch.ones(2, 2) @ torch.ones(2, 2)


def seen(array: Any) -> tuple[Any, ...]:
    return array.tolist(), array.dtype, array.shape, array.strides, array.flags.writeable


def programs() -> Iterator[tuple[str, list[str], str]]:
    chance = random.Random(35)
    for kind in MADE:
        for one in DOES:
            yield kind, [one], "fake"
        for _ in range(8):
            yield kind, chance.choices(list(DOES), k=chance.randint(2, 5)), "real"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_an_array_is_after_a_count_as_it_was() -> None:
    for kind, does, mode in programs():
        array = MADE[kind]()
        before = seen(array)
        counted = lt.count(Step(array, does), mode=mode)
        assert seen(array) == before, (kind, does, counted.warnings)
        assert counted.warnings == [], (kind, does)


def test_a_view_and_what_it_is_of_are_unlocked_again() -> None:
    base = np.arange(6.0)
    view = base[2:]

    def step() -> Any:
        view[0] = 9
        view.setflags(write=False)
        base.setflags(write=False)
        return torch.ones(2, 2) @ torch.ones(2, 2)

    assert lt.count(step).warnings == []
    assert base.tolist() == [0, 1, 2, 3, 4, 5]
    assert base.flags.writeable
    assert view.flags.writeable


@pytest.mark.parametrize("mode", ["auto", "real"])
def test_what_can_not_be_put_back_is_said_and_nothing_else(mode: str) -> None:
    class Stays(dict):  # type: ignore[type-arg]
        pass

    array, after, thing = np.frombuffer(bytearray(16)), [1], Stays()

    def step() -> Any:
        thing.__class__ = Locked
        after.append(2)
        array[0] = 5
        return torch.ones(2, 2) @ torch.ones(2, 2)

    class Locked(Stays):
        def __setattr__(self, name: str, value: Any) -> None:
            raise AttributeError(f"{name} is locked")

    counted = lt.count(step, mode=mode)
    assert counted.flop == 12 or counted.flop == 16
    assert len(counted.warnings) == 1
    assert "could not be put back, and is changed" in counted.warnings[0]
    assert "__class__ is locked" in counted.warnings[0]
    assert after == [1]
    assert array[0] == 0
