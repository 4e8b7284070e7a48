"""Iterators that a counted step takes from go on afterwards as if it had not."""

import inspect
import itertools
import weakref

import pytest

torch = pytest.importorskip("torch")
from torch.utils.data import DataLoader, TensorDataset

import laptime as lt

MODEL = torch.nn.Linear(1, 1)


def numbers():
    return DataLoader(TensorDataset(torch.arange(12.0)), batch_size=1)


def by_next():
    batches = iter(numbers())
    while True:
        yield next(batches)


def over_another():
    inner = by_next()
    while True:
        yield next(inner)


def one_ahead():
    batches = iter(numbers())
    waiting = next(batches)
    for batch in batches:
        yield waiting
        waiting = batch


class Endless(DataLoader):
    def __init__(self):
        super().__init__(TensorDataset(torch.arange(12.0)), batch_size=1)
        self.batches = super().__iter__()

    def __iter__(self):
        while True:
            yield next(self.batches)


class Holder:
    def __init__(self):
        self.batches = iter(numbers())

    def __iter__(self):
        return self

    def __next__(self):
        return next(self.batches)


SOURCES = {
    "a generator that calls next": by_next,
    "a generator over another": over_another,
    "a generator that is one ahead": one_ahead,
    "a loader that never ends": lambda: iter(Endless()),
    "an object that holds one": Holder,
    "a loader's own": lambda: iter(numbers()),
    "a chain": lambda: itertools.chain(numbers(), numbers()),
}


class Step:
    def __init__(self, source, pulls=1):
        self.batches, self.seen, self._pulls = source(), [], pulls

    def __call__(self):
        for _ in range(self._pulls):
            (x,) = next(self.batches)
            self.seen.append(int(x))
        return MODEL(x.view(1, 1)).sum()


@pytest.mark.parametrize("mode", ["fake", "real"])
@pytest.mark.parametrize("pulls", [1, 2])
@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_every_batch_is_trained_once(source, pulls, mode):
    step = Step(source, pulls)
    step()
    lt.count(step, mode="real" if mode == "real" else "auto")
    lt.count(step, mode="real" if mode == "real" else "auto")
    for _ in range(3):
        step()
    lt.count(step)
    step()
    assert step.seen == list(range(5 * pulls))


def test_a_count_that_refuses_takes_nothing():
    step = Step(by_next)
    step()
    with pytest.raises(
        lt.LaptimeError, match=r"turned into a number.*test_torch_iterators.py, line"
    ):
        lt.count(lambda: step().item(), mode="fake")
    step()
    assert step.seen == [0, 1]


def test_an_iterator_is_itself_again_once_all_is_given():
    step = Step(by_next)
    generator = step.batches
    lt.count(step)
    lt.count(step)
    assert next(step.batches) == [torch.zeros(1)]
    assert step.batches is generator
    assert inspect.isgenerator(step.batches)


def test_counting_at_each_step_does_not_pile_up():
    def ones():
        while True:
            yield (torch.ones(1),)

    step = Step(ones)
    depth = len(inspect.stack())
    for _ in range(60):
        lt.count(step, mode="real")
    assert len(step.batches.__reduce__()[1][0]) == 1, "given once, however often it was counted"
    next(step.batches)
    assert inspect.isgenerator(step.batches)
    assert len(inspect.stack()) == depth


def test_what_a_count_was_given_is_not_kept_alive():
    class Batch:
        pass

    def made():
        while True:
            yield Batch()

    class Takes:
        def __init__(self):
            self.batches = made()

        def __call__(self):
            next(self.batches)
            return MODEL(torch.ones(1, 1))

    step = Takes()
    lt.count(step)
    given = weakref.ref(next(step.batches))
    assert given() is None


def test_a_generator_that_is_sent_values_is_refused():
    def sent():
        at = 0
        while True:
            got = yield at
            at = at + 1 if got is None else got

    batches = sent()
    next(batches)
    with pytest.raises(lt.LaptimeError, match="count the function that does a step"):
        lt.count(lambda: MODEL(torch.full((1, 1), float(next(batches)))))
    assert batches.send(50) == 50
    assert next(batches) == 51


def test_a_batch_that_the_step_takes_apart_is_whole_again():
    kept = [{"x": torch.ones(1, 1), "y": 1} for _ in range(4)]

    def batches():
        items = iter(kept)
        while True:
            yield next(items)

    source = batches()

    def step():
        batch = next(source)
        batch.pop("y")
        return MODEL(batch["x"])

    lt.count(step)
    assert [sorted(batch) for batch in kept] == [["x", "y"]] * 4


def test_a_count_within_a_counted_call_adds_nothing_to_it():
    x = torch.ones(1, 1)

    def call():
        lt.count(MODEL, x)
        return MODEL(x)

    assert lt.count(call).flop == lt.count(call, mode="real").flop == lt.count(MODEL, x).flop
