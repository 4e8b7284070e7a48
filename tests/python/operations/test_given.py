"""Laps that are told their work: `lt.lap("gemm", flop=…, bytes=…)`."""

import asyncio
import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

import laptime as lt


def report_of(program: str, folder: Path) -> "lt.Report":
    """The report of a program that runs by itself, so that rows hold what it did alone."""
    target = folder / "run.lap"
    script = f"import laptime as lt\nwith lt.record({str(target)!r}):\n"
    script += "".join(f"    {line}\n" for line in program.strip().splitlines())
    subprocess.run([sys.executable, "-c", script], check=True, timeout=500)
    return lt.open(target).report()


def test_a_lap_says_its_work_and_the_row_has_its_rate(tmp_path):
    report = report_of(
        """
for size in (8, 16):
    with lt.lap("gemm", flop=2 * size**3, bytes=3 * 4 * size**2):
        pass
""",
        tmp_path,
    )
    row = report["gemm"]
    assert row.flop == 2 * 8**3 + 2 * 16**3
    assert row.bytes_moved == 12 * (8**2 + 16**2)
    assert row.intensity == pytest.approx(row.flop / row.bytes_moved)
    assert row.flop_per_s == pytest.approx(row.flop / (row.total_ns / 1e9), rel=1e-6)
    assert row.operations_coverage_ratio == 1.0
    assert row.mac is None
    assert row.why("mac") == "the program said its FLOP, which tells no more"


def test_work_is_said_inside_the_lap_too_and_the_last_word_counts(tmp_path):
    report = report_of(
        """
with lt.lap("late") as lap:
    lap.flop = 5
    lap.flop = 7
    lap.bytes = 3.0
with lt.lap("changed", flop=1, bytes=2) as lap:
    lap.flop = 10
    assert (lap.flop, lap.bytes) == (10, 2)
""",
        tmp_path,
    )
    assert (report["late"].flop, report["late"].bytes_moved) == (7, 3)
    assert (report["changed"].flop, report["changed"].bytes_moved) == (10, 2)


def test_nested_laps_of_one_name_keep_their_own_work(tmp_path):
    report = report_of(
        """
with lt.lap("a", flop=1) as outer:
    with lt.lap("a", flop=10) as inner:
        inner.flop = 20
    outer.bytes = 4
""",
        tmp_path,
    )
    assert (report["a"].flop, report["a"].bytes_moved) == (1, 4)
    assert (report["a/a"].flop, report["a/a"].bytes_moved) == (20, None)


def test_every_kind_of_function_says_its_work_once_a_call(tmp_path):
    report = report_of(
        """
import asyncio

@lt.lap("plain", flop=1)
def plain(): return 1

@lt.lap("coroutine", flop=10)
async def coroutine(): return 2

@lt.lap("generator", flop=100)
def generator():
    yield 3
    yield 4

@lt.lap("asynchronous generator", bytes=1000)
async def asynchronous():
    yield 5

async def main():
    async with lt.lap("block", flop=7):
        pass
    return [await coroutine(), [x async for x in asynchronous()]]

for _ in range(2):
    assert plain() == 1
    assert asyncio.run(main()) == [2, [5]]
    assert list(generator()) == [3, 4]
""",
        tmp_path,
    )
    assert report["plain"].flop == 2
    assert report["coroutine"].flop == 20
    assert report["generator"].flop == 200
    assert report["asynchronous generator"].bytes_moved == 2000
    assert report["block"].flop == 14


def test_threads_and_tasks_keep_their_work_apart(tmp_path):
    report = report_of(
        """
import asyncio, threading

barrier = threading.Barrier(4)

def work(number):
    for _ in range(200):
        with lt.lap("thread", flop=number) as lap:
            lap.bytes = number
    barrier.wait()

threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]

async def task(number):
    with lt.lap("task", flop=number) as lap:
        await asyncio.sleep(0)
        lap.bytes = lap.flop

async def main():
    await asyncio.gather(*(task(number) for number in range(5)))

asyncio.run(main())
""",
        tmp_path,
    )
    assert report["thread"].flop == report["thread"].bytes_moved == 200 * 6
    assert report["task"].flop == report["task"].bytes_moved == 10


def test_a_row_of_which_only_some_spans_say_their_work_tells_so(tmp_path):
    report = report_of(
        """
for number in range(4):
    with lt.lap("some") as lap:
        if number == 0:
            lap.flop = 8
""",
        tmp_path,
    )
    assert report["some"].flop == 8
    assert report["some"].operations_coverage_ratio == 0.25
    codes = [warning["code"] for warning in json.loads(report.to_json())["warnings"]]
    assert "operations-partial" in codes


@pytest.mark.parametrize(
    ("work", "error", "named"),
    [
        ({"flop": -1}, ValueError, "flop of a lap is a whole number from 0 on, not -1"),
        ({"bytes": 1.5}, ValueError, "not 1.5"),
        ({"flop": float("nan")}, ValueError, "not nan"),
        ({"flop": "many"}, TypeError, "not 'many'"),
        ({"bytes": 2**128}, ValueError, str(2**128)),
        ({"flop": True}, TypeError, "a whole number from 0 on, not True"),
        ({"flops": 3}, TypeError, 'takes flop= and bytes=, not "flops"'),
    ],
)
def test_work_that_is_no_whole_number_is_refused_by_name(work, error, named):
    with pytest.raises(error) as caught:
        lt.lap("gemm", **work)
    assert named in str(caught.value)
    with lt.lap("gemm") as lap, pytest.raises((error, AttributeError)):
        for keyword, value in work.items():
            setattr(lap, keyword, value)


def test_work_is_set_only_where_the_lap_is_open():
    with lt.lap("closed already") as lap:
        pass
    with pytest.raises(RuntimeError, match="not open here: set its flop inside its `with`"):
        lap.flop = 3
    errors = []

    def elsewhere():
        try:
            lap.flop = 3
        except RuntimeError as error:
            errors.append(error)

    with lap:
        thread = threading.Thread(target=elsewhere)
        thread.start()
        thread.join()
    assert len(errors) == 1


def test_nothing_is_raised_while_nothing_is_recorded():
    program = """
import laptime as lt
lt.disable()
with lt.lap("x", flop=1) as lap:
    lap.bytes = 3
lap.flop = 2
"""
    subprocess.run([sys.executable, "-c", program], check=True, timeout=500)


def test_columns_of_operations_appear_only_with_operations(tmp_path):
    with_work = report_of("with lt.lap('a', flop=8, bytes=2): pass", tmp_path)
    (tmp_path / "other").mkdir()
    without = report_of("with lt.lap('a'): pass", tmp_path / "other")
    for shown in (str, lt.Report.to_markdown):
        assert "FLOP/s" in shown(with_work)
        assert "FLOP" not in shown(without)
    assert ",flop,total_flop," in with_work.to_csv()
    assert "flop" not in without.to_csv()
    first = json.loads(with_work.to_json())["rows"][0]
    assert (first["flop"], first["bytes_moved"], first["intensity"]) == (8, 2, 4.0)
    assert "flop" not in json.loads(without.to_json())["rows"][0]


def test_a_lap_with_work_is_reused_and_decorates():
    gemm = lt.lap("reused", flop=4)
    for _ in range(3):
        with gemm:
            pass

    @gemm
    def decorated():
        return 1

    assert decorated() == 1
    assert lt.report()["reused"].flop == 16


def test_an_exception_leaves_the_lap_closed_with_its_work():
    with pytest.raises(ZeroDivisionError), lt.lap("raises with work", flop=4):
        raise ZeroDivisionError
    assert lt.report()["raises with work"].flop == 4

    async def cancelled():
        async with lt.lap("cancelled with work", flop=4):
            await asyncio.sleep(3600)

    async def main():
        task = asyncio.ensure_future(cancelled())
        await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
    assert lt.report()["cancelled with work"].flop == 4
