"""Functions that use up their input: `setup` makes it anew, and without one it is said."""

from __future__ import annotations

import collections
import itertools
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy
import pytest

import laptime as lt

QUICK = lt.bench.options(budget=0.02)


@pytest.fixture
def sort(clock: Any) -> Any:
    """Sorts in place: 2 ms where there is something to do, 10 µs where there is nothing."""

    def sort(numbers: list[int]) -> None:
        clock.work(10e-6 if numbers == sorted(numbers) else 2e-3)
        numbers.sort()

    return sort


def test_each_iteration_has_input_of_its_own_that_isnt_measured(clock: Any, sort: Any) -> None:
    made = 0

    def shuffled() -> list[int]:
        nonlocal made
        made += 1
        clock.work(3e-3)
        return [3, 1, 2]

    found = lt.bench.options(budget=0.5, setup=shuffled)(sort)
    assert found.median_ns == pytest.approx(2e6, rel=0.01)
    assert not [said for said in found.warnings if "input" in said]
    assert made >= len(found.samples) * found.iterations
    # What the setup takes is of the budget.
    assert made * 5e-3 < 0.6


def test_a_short_function_is_measured_over_many_inputs(clock: Any) -> None:
    most = 0

    def make() -> list[int]:
        return [1]

    def pop(numbers: list[int]) -> None:
        nonlocal most
        most += numbers.pop()
        clock.work(1e-6)

    found = lt.bench.options(budget=0.05, setup=make)(pop)
    # The clock is read once for many of them: 1 µs each time.
    assert found.iterations > 1
    assert found.median_ns == pytest.approx(1e3 + 1e3 / found.iterations, rel=0.01)


def test_a_tuple_is_all_arguments_and_a_named_tuple_is_one() -> None:
    seen: set[tuple[Any, ...]] = set()
    pair = collections.namedtuple("pair", "a b")
    for made, given in [((1, 2), (1, 2)), ((), ()), (pair(1, 2), (pair(1, 2),)), (None, (None,))]:
        seen.clear()
        lt.bench.options(budget=0.001, setup=lambda made=made: made)(lambda *args: seen.add(args))
        assert seen == {given}


def test_setup_takes_part_in_comparisons(clock: Any, sort: Any) -> None:
    def copied(numbers: list[int]) -> None:
        sort(list(numbers))

    found = lt.compare({"copied": copied, "in place": sort}, setup=lambda: [3, 1, 2], budget=0.2)
    assert found["in place"].ratio == pytest.approx(1, rel=0.01)
    assert found.warnings == []
    alone = [3, 1, 2]
    found = lt.compare(
        {"copied": lambda: copied([3, 1, 2]), "in place": lambda: sort(alone)}, budget=0.2
    )
    assert found.verdict == "faster"
    (said,) = found.warnings
    assert said.startswith("in place: The first iteration took 2.00 ms, the others 1")
    assert said.endswith("lt.compare(…, setup=…) makes new input for each.")


def test_what_a_function_changes_of_its_input_is_said() -> None:
    torch = pytest.importorskip("torch")
    numbers = [3, 1, 2]
    for function, args, kwargs, name in [
        (list.sort, ([3, 1, 2],), {}, "argument 1: list"),
        (numbers.sort, (), {}, "the list whose method it is"),
        (lambda *_, into: into.update(a=into.get("a", 0) + 1), (1,), {"into": {}}, "into: dict"),
        (lambda seen: seen.add(len(seen)), ({7},), {}, "argument 1: set"),
        (
            lambda queue: queue and queue.popleft(),
            (collections.deque([1]),),
            {},
            "argument 1: deque",
        ),
        (lambda data: data.clear(), (bytearray(b"1"),), {}, "argument 1: bytearray"),
        (sum, ((number for number in range(9)),), {}, "argument 1: generator"),
        (list, (iter([1, 2, 3]),), {}, "argument 1: list_iterator"),
        (lambda array: array.sort(), (numpy.array([2.0, 1.0]),), {}, "argument 1: ndarray"),
        (lambda x: x.add_(1), (torch.zeros(2),), {}, "argument 1: Tensor"),
    ]:
        said = " ".join(QUICK(function, *args, **kwargs).warnings)
        assert "It changes its input (" in said, name
        assert name in said
        assert "lt.bench.options(setup=" in said, name


def test_input_that_stays_as_it_is_is_no_reason_for_doubt() -> None:
    torch = pytest.importorskip("torch")
    nan = numpy.array([float("nan")])
    for function, args in [
        (sorted, ([3, 1, 2],)),
        (len, ({1: [2]},)),
        (numpy.sort, (nan,)),
        (torch.relu, (torch.zeros(2),)),
        (next, (iter(int, 1),)),
        ("a".join, (["b", "c"],)),
    ]:
        function(*args)  # PyTorch's first call prepares what the others find
        said = " ".join(QUICK(function, *args).warnings)
        assert "setup" not in said, (function, said)


def test_a_setup_that_cant_be_is_refused() -> None:
    with pytest.raises(TypeError, match="setup is a function that makes the input"):
        lt.bench.options(setup=[1])(len)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"lt\.bench\.options\(setup=make\)\(fn\)"):
        lt.bench.options(setup=list)(len, [1])
    given = iter([(1,), (1, 2)] * 10)
    with pytest.raises(ValueError, match="1 arguments the first time, and then 2"):
        lt.bench.options(setup=lambda: next(given))(print)


def test_what_raises_after_a_setup_has_its_number() -> None:
    numbers = itertools.count(-39)
    with pytest.raises(ZeroDivisionError) as caught:
        lt.bench.options(setup=lambda: next(numbers))(lambda number: 1 / number)
    (note,) = getattr(caught.value, "__notes__", ["Raised in iteration 40 of a benchmark."])
    assert note == "Raised in iteration 40 of a benchmark."


def test_memory_is_counted_on_new_input_too() -> None:
    found = lt.bench.options(budget=0.01, memory=True, setup=lambda: [0] * 1000)(
        lambda numbers: numbers.extend(numbers)
    )
    # What an allocator has left of a block counts with the block.
    assert (found.host_memory_peak_bytes or 0) >= 7_900
    assert (found.host_memory_peak_bytes or 0) < 100_000


def test_a_command_may_write_as_much_as_without(tmp_path: Path) -> None:
    command = "ulimit -f 1; exec dd if=/dev/zero of=large bs=1M count=1"
    typed = [sys.executable, "-m", "laptime", "bench", "-r", "1", command]
    done = subprocess.run(typed, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "SIGXFSZ" in done.stderr, done.stderr
