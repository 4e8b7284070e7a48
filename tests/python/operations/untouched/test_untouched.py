"""Whatever a program is, it goes on after a count as if there had been none.

25 programs a test, each trained twice, take four to nine seconds, and thirteen where each count is
ended at some instant.
"""

import contextlib
import functools

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers")
pytest.importorskip("torchmetrics")

from untouched import dirty
from untouched.forked import Served
from untouched.parts import DIMENSIONS
from untouched.proof import Stop, Verdict, proved
from untouched.recipe import all_pairs, described, named, pairs, recipe, with_pair
from untouched.source import Source

# A program's verdict is found once, for whichever tests ask.
pytestmark = pytest.mark.xdist_group("untouched")
#: `make untouched` has 5,000.
PROGRAMS, CHUNK = 200, 25


@pytest.fixture(autouse=True)
def _one_thread():
    """Tensors are small; threads would wait for each other."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
    # A program for several ranks that ran here, not in a child, leaves its group.
    if torch.distributed.is_initialized():
        torch.distributed.destroy_process_group()


def uncounted(*arguments, **keywords):
    """Stands in for a count."""


@pytest.fixture(scope="module")
def verdict():
    """What became of a program, by its number."""
    process = Served()
    yield functools.cache(process.verdict)
    process.close()


def shown(failures: list[tuple[int, Verdict]]) -> str:
    lines = [f"{len(failures)} programs were not left as they were:"]
    for number, found in failures[:10]:
        lines += [f"{number}: {described(recipe(number))}", f"    {found.outcome}: {found.why}"]
    numbers = " ".join(str(number) for number, _ in failures[:10])
    lines.append(f"in tests/python/operations: python -m untouched --reduce {numbers}")
    return "\n".join(lines)


@pytest.mark.parametrize("first", range(0, PROGRAMS, CHUNK))
def test_a_program_goes_on_after_a_count_as_if_there_had_been_none(first, verdict):
    found = {number: verdict(number) for number in range(first, first + CHUNK)}
    failures = [(number, it) for number, it in found.items() if not it.holds]
    assert not failures, shown(failures)


def test_a_count_that_is_ended_at_any_instant_leaves_no_trace(verdict):
    found = {number: verdict(number, struck=True) for number in range(100, 125)}
    # PyTorch ends the process itself where a handler raises in a question that C++ asks.
    mine = [(number, it) for number, it in found.items() if it.outcome != "crashed"]
    assert len(mine) > 20, found
    assert not [one for one in mine if not one[1].holds], shown(mine)


def test_nine_programs_in_ten_are_counted(verdict):
    found = [verdict(number) for number in range(PROGRAMS)]
    refused = [it.why for it in found if it.outcome == "refused"]
    assert len(refused) <= PROGRAMS // 10, "\n".join(refused)


@pytest.mark.parametrize("first", range(0, 50, CHUNK))
def test_programs_do_the_same_each_time(first):
    for number in range(first, first + CHUNK):
        found = proved(number, recipe(number), uncounted)
        assert found.outcome == "untouched", f"{number}: {found.why}"


def test_programs_are_chosen_by_their_number_alone():
    texts = [Source(number, recipe(number)).text for number in (0, 7, 499, 500)]
    recipe(1200)
    assert texts == [Source(number, recipe(number)).text for number in (0, 7, 499, 500)]
    assert len(set(texts)) == 4


def test_programs_cover_pairs_of_parts():
    possible = {pair for pair in all_pairs() if with_pair(pair) is not None}
    each = [pairs(recipe(number)) for number in range(500)]
    assert len(set().union(*each) & possible) > 0.85 * len(possible)
    # No part is left to the programs that aren't run here.
    parts = {(dimension, part.name) for dimension, them in DIMENSIONS.items() for part in them}
    assert parts == {one for them in each[:PROGRAMS] for it in them for one in (it[:2], it[2:])}


@pytest.mark.parametrize("trace", dirty.NAMES)
def test_a_count_that_leaves_a_trace_is_seen(trace):
    clean = dirty.cleaned()
    try:
        found = proved(3, dirty.parts(), dirty.count(trace))
    finally:
        clean()
    # How far a generator is shows in what it gives next.
    expected = "later" if trace == "takes from a generator" else "changed"
    assert found.outcome == expected, found


def test_a_count_that_leaves_no_trace_is_not_accused():
    assert proved(3, dirty.parts(), uncounted).outcome == "untouched"


def test_a_count_that_keeps_what_the_program_raised_to_itself_is_seen():
    def swallows(step, *arguments, mode):
        states = torch.get_rng_state()
        with contextlib.suppress(Stop):
            step(*arguments)
        torch.set_rng_state(states)

    chosen = named(optimizer="by hand", end="raises an exception")
    assert [proved(number, chosen, swallows).outcome for number in (1, 2)].count("swallowed") >= 1


def test_a_count_that_raises_of_itself_is_seen():
    def fails(step, *arguments, mode):
        raise TypeError("the count's own")

    assert proved(1, named(), fails) == Verdict("raised", "TypeError: the count's own")
