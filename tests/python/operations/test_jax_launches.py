"""A lap that doesn't wait for what JAX computes carries a warning; one that waits has none."""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp

import laptime as lt

SIZE, TURNS, LAPS = 384, 30, 12


@jax.jit
def slow(x):
    """Takes long after it has returned; the numbers of its result are those of its input."""
    return jax.lax.fori_loop(0, TURNS, lambda _, y: y @ x / SIZE, x)


@pytest.fixture(scope="module")
def x():
    x = jnp.ones((SIZE, SIZE))
    return slow(x).block_until_ready()


@pytest.fixture(autouse=True)
def nothing_under_way(x):
    yield
    slow(x).block_until_ready()


@pytest.fixture
def rows(tmp_path: Path):
    """Ends what is recorded, and tells its rows by path."""
    record = lt.record(tmp_path / "run.lap")

    def ended():
        record.stop()
        told = json.loads(lt.open(record.path).report().to_json())["rows"]
        return {row["path"]: row for row in told if row["kind"] == "span"}

    yield ended
    record.stop()


def in_flight(row):
    return row.get("in_flight_count", 0)


def waited(row):
    return row.get("waited_count", 0)


def codes(row):
    return [warning["code"] for warning in row.get("warnings", [])]


def test_a_plain_loop_is_warned_of(rows, x):
    for _ in range(LAPS):
        with lt.lap("plain"):
            x = slow(x)
    row = rows()["plain"]
    assert in_flight(row) > waited(row)
    assert codes(row) == ["launches"]


@pytest.mark.parametrize(
    "wait",
    [
        jax.block_until_ready,
        lt.sync_on,
        np.asarray,
        jax.device_get,
        lambda y: y.tolist(),
        lambda y: float(y[0, 0]),
    ],
)
def test_a_loop_that_waits_is_not(rows, x, wait, request):
    # A name of its own: of each the first laps are looked at.
    name = request.node.name
    for _ in range(LAPS):
        with lt.lap(name):
            y = slow(x)
            wait(y)
    row = rows()[name]
    assert in_flight(row) == 0
    assert waited(row) > 0
    assert codes(row) == []


def test_only_the_lap_that_launches_is_warned_of_where_another_waits(rows, x):
    for _ in range(LAPS):
        with lt.lap("step"):
            with lt.lap("forward"):
                y = slow(x)
            with lt.lap("wait"):
                y.block_until_ready()
    told = rows()
    assert codes(told["step/forward"]) == ["launches"]
    assert waited(told["step"]) > 0
    assert in_flight(told["step"]) == in_flight(told["step/wait"]) == 0


def test_what_was_launched_before_a_lap_is_not_its(rows, x):
    for _ in range(LAPS):
        y = slow(x)
        with lt.lap("log"):
            pass
    row = rows()["log"]
    assert not y.is_deleted()
    assert in_flight(row) == waited(row) == 0


def test_of_results_that_nobody_keeps_nothing_is_known(rows, x):
    for _ in range(LAPS):
        with lt.lap("drop"):
            slow(x)
    row = rows()["drop"]
    assert in_flight(row) == waited(row) == 0


def test_every_kind_of_lap_is_looked_at(rows, x):
    kept = []

    @lt.lap("function")
    def function():
        kept.append(slow(x))

    for _ in range(LAPS):
        function()
        with lt.lap("work", flop=10):
            kept.append(slow(x))
    for _ in lt.track(range(LAPS), "tracked"):
        kept.append(slow(x))
    told = rows()
    for name in ("function", "work", "tracked"):
        assert codes(told[name]) == ["launches"], name
        assert told[name]["count"] == LAPS
    assert told["work"]["flop"] == 10 * LAPS


def test_what_another_task_launches_is_not_the_lap_s(rows, x):
    kept = []

    async def wait(gate: asyncio.Event, done: asyncio.Event):
        with lt.lap("waits"):
            gate.set()
            await done.wait()

    async def launch(gate: asyncio.Event, done: asyncio.Event):
        await gate.wait()
        kept.append(slow(x))
        done.set()

    async def both():
        gate, done = asyncio.Event(), asyncio.Event()
        await asyncio.gather(wait(gate, done), launch(gate, done))

    for _ in range(LAPS):
        asyncio.run(both())
    row = rows()["waits"]
    assert row["count"] == LAPS
    assert in_flight(row) == waited(row) == 0


def test_nothing_is_kept_alive_nor_compiled_again(rows, x):
    before = slow._cache_size()
    gc.disable()
    try:
        with lt.lap("kept"):
            y = slow(x)
        gone = weakref.ref(y)
        del y
        assert gone() is None
    finally:
        gc.enable()
    assert slow._cache_size() == before
    assert in_flight(rows()["kept"]) + waited(rows()["kept"]) == 1


def test_a_lap_of_many_is_looked_at_seldom(rows):
    count, value = 20_000, jnp.float32(1)
    for _ in range(count):
        with lt.lap("tiny"):
            value = -value
    row = rows()["tiny"]
    assert row["count"] == count
    assert 0 < in_flight(row) + waited(row) < count / 4


def test_the_last_duration_of_a_lap_is_there_when_it_was_looked_at(rows, x):
    with lt.lap("looked at") as lap:
        y = lt.sync_on(slow(x))
    assert y.shape == x.shape
    row = rows()["looked at"]
    assert waited(row) == 1
    assert abs(lap.duration_ns - row["total_ns"]) <= row["total_ns"] / 1_000


@pytest.mark.filterwarnings("ignore:os.fork", "ignore:.*multithreaded")
def test_a_forked_child_is_not_asked(rows, x):
    child = os.fork()
    if not child:
        with lt.lap("child"):
            pass
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    with lt.lap("parent"):
        y = slow(x).block_until_ready()
    assert y.shape == x.shape
    assert waited(rows()["parent"]) == 1


def test_a_report_in_memory_warns_of_the_row_and_says_what_to_do(tmp_path: Path):
    script = tmp_path / "program.py"
    script.write_text(
        "import laptime as lt\n"
        "import jax, jax.numpy as jnp\n"
        "slow = jax.jit(lambda x: jax.lax.fori_loop(0, 60, lambda _, y: y @ x / 500, x))\n"
        "x = jnp.ones((500, 500))\n"
        "for name in ('waits', 'launches'):\n"
        "    for _ in range(12):\n"
        "        with lt.lap(name):\n"
        "            y = slow(x)\n"
        "            if name == 'waits':\n"
        "                y.block_until_ready()\n"
        "report = lt.report()\n"
        "print(len(report['waits'].warnings), len(report['launches'].warnings))\n"
        "print(report['waits'].in_flight_count, report['launches'].in_flight_count > 0)\n"
        "print(report)\n"
    )
    command = [sys.executable, str(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("0 1\n0 True\n"), done.stdout
    told = " ".join(done.stdout.split())
    assert "JAX was still computing when these laps ended: launches (in " in told
    assert "write lt.sync_on(result) at the end of the laps that matter, such as launches" in told
