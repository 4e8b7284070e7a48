"""Generated trainings: counts and times are those of timers that stand in them.

`make trainings` has 500; the rules behind them are tested with exact times in Rust. Twelve of them
take three seconds on an idle machine.
"""

from __future__ import annotations

import pytest
import torch
from trainings.plan import Place, Says, Source, Validation, plan
from trainings.verdict import verdict

#: Trainings for each test, of other numbers.
CHUNK = 12


@pytest.fixture(autouse=True)
def _one_thread():
    """Tensors are small; threads would wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def off(chosen):
    """The figures of a training that aren't what its timers say."""
    return [str(figure) for figure in verdict(chosen) if figure.verdict != "right"]


@pytest.mark.parametrize("first", [0, CHUNK])
def test_a_generated_training_is_told_as_its_timers_tell(first):
    numbers = range(first, first + CHUNK)
    wrong = {number: found for number in numbers if (found := off(plan(number)))}
    again = " ".join(map(str, wrong))
    assert not wrong, f"in tests/python/phases: python -m trainings --only {again}"


def plain(**given):
    """A training with nothing but what is given."""
    chosen = plan(0)
    nothing = {
        "source": Source.PASSES,
        "batches": 4,
        "passes": 3,
        "begins_ms": 2.0,
        "gap_ms": 0.0,
        "micro_batches": 1,
        "counts_on": False,
        "two_optimizers": False,
        "has_penalty": False,
        "has_loss": True,
        "has_teacher": False,
        "prepares": None,
        "zeroes": Place.AFTER_UPDATE,
        "zeroes_first": False,
        "dry_run_ms": None,
        "validation": None,
        "answers": None,
        "has_accuracy": False,
        "compiles": False,
        "own_ms": 0.0,
    }
    for name, value in {**nothing, **given}.items():
        setattr(chosen, name, value)
    return chosen


VALIDATION = Validation(3, None, 1, Says.NO_GRAD_INSIDE, is_left_early=False, has_loss=True)

KINDS = {
    "a batch is fetched between forward and backward": plain(
        source=Source.AHEAD, ahead=Place.BEFORE_BACKWARD
    ),
    "a pass begins long before its first fetch": plain(begins_ms=20.0, gap_ms=20.0),
    "a pass begins after a zero_grad": plain(begins_ms=20.0, zeroes_first=True),
    "a pass begins amid a step": plain(begins_ms=20.0, micro_batches=3, counts_on=True),
    "a validation amid a step": plain(micro_batches=3, counts_on=True, validation=VALIDATION),
    "a module prepares the batch": plain(source=Source.TENSORS, prepares=True),
    "a dry run before a zero_grad": plain(dry_run_ms=20.0, zeroes_first=True, gap_ms=20.0),
    "an iterator that is kept": plain(source=Source.KEPT),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_once_was_told_wrong_arrives(kind):
    assert off(KINDS[kind]) == []
