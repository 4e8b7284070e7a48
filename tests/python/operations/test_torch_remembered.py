"""What programs remember elsewhere than in attributes is as it was after a count."""

import array
import collections
import contextvars
import csv
import functools

import pytest

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")
from torch.utils.flop_counter import FlopCounterMode

import laptime as lt

MODEL = torch.nn.Linear(1, 1)


@functools.cache
def singleton(name):
    return [name]


@functools.lru_cache(maxsize=2)
def latest(name):
    return [name]


def test_a_singleton_is_the_same_after_a_count_that_made_another():
    before = singleton("kept")

    def step():
        singleton("made")
        singleton("kept").append("more")
        return MODEL(torch.ones(1, 1))

    for _ in range(3):
        assert lt.count(step).mac == 1
    assert singleton("kept") is before
    assert before == ["kept"]
    assert singleton.cache_info().currsize == 1


def test_the_latest_calls_are_forgotten_only_if_the_count_added_one():
    before = latest("one")

    def step(name):
        latest(name).append("more")
        return MODEL(torch.ones(1, 1))

    lt.count(step, "one")
    assert latest("one") is before
    assert before == ["one"]
    lt.count(step, "two")
    assert latest.cache_info().currsize == 0


UNSET = contextvars.ContextVar("UNSET")
SET = contextvars.ContextVar("SET", default=0)


def test_context_variables_are_what_they_were_set_or_not():
    held = []
    token = SET.set(held)

    def step():
        UNSET.set(1)
        SET.get().append(1)
        SET.set(2)
        return MODEL(torch.ones(1, 1))

    assert lt.count(step).mac == 1
    assert UNSET.get(None) is None
    assert SET.get() is held
    assert held == []
    SET.reset(token)


def test_arrays_of_numbers_and_of_objects_are_as_they_were():
    numbers, inner = array.array("d", [1.0]), [1]
    objects = np.array([inner, None], dtype=object)

    def step():
        numbers[0] = 2.0
        numbers.append(3.0)
        objects[0].append(2)
        objects[1] = 3
        return MODEL(torch.ones(1, 1))

    assert lt.count(step).mac == 1
    assert numbers == array.array("d", [1.0])
    assert objects.tolist() == [[1], None]
    assert objects[0] is inner


def test_the_programs_own_flop_counter_does_not_see_the_count():
    with FlopCounterMode(display=False) as flop:
        MODEL(torch.ones(4, 1))
        before = flop.get_total_flops()
        assert lt.count(MODEL, torch.ones(8, 1)).mac == 8
        assert flop.get_total_flops() == before == 8
        MODEL(torch.ones(4, 1))
        assert flop.get_total_flops() == 16


def test_defaults_that_a_step_sets_are_put_back():
    def scale(by=1.0):
        return by

    def step():
        scale.__defaults__ = (scale() * 2,)
        return MODEL(torch.ones(1, 1))

    lt.count(step)
    assert scale() == 1.0


class Pair:
    def __init__(self, held):
        self.held = held


def takes_default(batches=None):
    return next(batches)


ROWS = ["1", "2", "3", "4"]
ITERATORS = {
    "a list's": lambda: iter([1, 2, 3, 4]),
    "a generator": lambda: (it for it in [1, 2, 3, 4]),
    "a deque's": lambda: iter(collections.deque([1, 2, 3, 4])),
    "an ordered dictionary's": lambda: iter(collections.OrderedDict.fromkeys([1, 2, 3, 4])),
    "an array's": lambda: iter(array.array("i", [1, 2, 3, 4])),
    "numpy's": lambda: np.array([1, 2, 3, 4]).flat,
    "rows of a file": lambda: (int(row[0]) for row in csv.reader(ROWS)),
}


def in_attribute(it):
    held = Pair(it)
    return lambda: held.held


def in_tuple(it):
    held = Pair(("name", it))
    return lambda: held.held[1]


def twice_in_tuple(it):
    held = Pair((it, it))
    return lambda: held.held[1]


def in_deque(it):
    held = collections.deque([it])
    return lambda: held[0]


def in_ordered(it):
    held = collections.OrderedDict(it=it)
    return lambda: held["it"]


HOLDERS = [in_attribute, in_tuple, twice_in_tuple, in_deque, in_ordered]


@pytest.mark.parametrize("holder", HOLDERS)
@pytest.mark.parametrize("iterator", ITERATORS)
def test_an_iterator_goes_on_where_it_was_wherever_it_is_held(iterator, holder):
    held = holder(ITERATORS[iterator]())
    seen = []

    def step():
        seen.append(int(next(held())))
        return MODEL(torch.ones(1, 1))

    step()
    for _ in range(2):
        assert lt.count(step).mac == 1
    assert seen == [1]
    step(), step(), step()
    assert seen == [1, 2, 3, 4]
    with pytest.raises(StopIteration):
        next(held())


def test_a_default_argument_that_is_an_iterator_goes_on_too():
    def step(batches=(it for it in [1, 2, 3])):
        MODEL(torch.ones(1, 1))
        return next(batches)

    assert step() == 1
    lt.count(step)
    lt.count(step)
    assert (step(), step()) == (2, 3)


def test_a_lists_iterator_that_is_passed_stays_where_it_is():
    batches = iter([1, 2, 3])

    def step(batches):
        MODEL(torch.ones(1, 1))
        return next(batches)

    assert lt.count(step, batches).warnings == []
    assert next(batches) == 1


def test_what_is_taken_of_a_generator_that_is_passed_is_said_to_be_gone():
    batches = (it for it in [1, 2, 3])

    def step(batches, unused):
        MODEL(torch.ones(1, 1))
        return next(batches)

    (warning,) = lt.count(step, batches, kwargs={"unused": (it for it in [])}).warnings
    assert "argument 0 is an iterator" in str(warning)


def test_a_run_on_real_tensors_gets_what_the_fake_run_got():
    def step(batches):
        y = MODEL(next(batches))
        return y if y.sum().isfinite() else None  # which fake tensors can't tell

    counts = lt.count(step, (torch.ones(count, 1) for count in (5, 7)))
    assert counts.mac == 5
    assert any("real tensors" in str(it) for it in counts.warnings)
