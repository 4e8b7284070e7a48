"""JAX returns before its work is done: who times it waits."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp

import laptime as lt
from laptime import timing

SIZE, TURNS = 512, 40


@jax.jit
def slow(x):
    """Takes long after it has returned."""
    return jax.lax.fori_loop(0, TURNS, lambda _, y: y @ x / SIZE, x)


@pytest.fixture(autouse=True)
def quiet():
    timing.quiet()
    yield
    timing.quiet(False)


@pytest.fixture(scope="module")
def inputs():
    x = jnp.ones((SIZE, SIZE))
    jax.block_until_ready(slow(x))
    return x


def least_by_hand(inputs):
    """The shortest of some calls, waited for; and how soon the shortest returned."""
    whole, returned = [], []
    for _ in range(5):
        begun = time.perf_counter()
        out = slow(inputs)
        returned.append(time.perf_counter() - begun)
        jax.block_until_ready(out)
        whole.append(time.perf_counter() - begun)
    assert min(returned) < min(whole) / 4, "this machine's JAX does not launch: no test"
    return min(whole)


def test_an_inference_is_timed_to_its_end(inputs):
    least = least_by_hand(inputs)
    result = timing.benchmark_inference(slow, inputs, num_iterations=5, warmup=1)
    assert result["min_ms"] / 1_000 > 0.5 * least


def test_a_tracked_call_is_timed_to_its_end(inputs):
    least = least_by_hand(inputs)
    timers: dict[str, float] = {}
    timing.track_time(timers, "slow", lambda: {"out": [slow(inputs)]})
    assert timers["slow"] > 0.5 * least


def test_a_lap_that_waits_holds_the_work(inputs):
    least = least_by_hand(inputs)
    with lt.lap("launched and waited for") as lap:
        out = lt.sync_on(slow(inputs))
    assert lap.seconds > 0.5 * least
    assert out.shape == (SIZE, SIZE)


def test_what_has_nothing_to_wait_for_passes_through():
    for value in (None, 3, "text", [1, {"a": (2,)}], object()):
        assert lt.sync_on(value) is value


def test_a_tracked_call_keeps_nothing_alive():
    import gc
    import weakref

    class Result:
        pass

    timers: dict[str, float] = {}
    gone = weakref.ref(timing.track_time(timers, "call", Result))
    gc.collect()
    assert gone() is None


def test_a_program_that_computes_with_jax_is_told_what_its_laps_measure(tmp_path: Path):
    script = tmp_path / "program.py"
    script.write_text(
        "import sys, laptime as lt\n"
        "import jax\n"
        "if len(sys.argv) > 1:\n"
        "    with lt.lap('sum'):\n"
        "        jax.numpy.ones(3).sum()\n"
    )
    told = "JAX, whose calls return before their work is done"
    for arguments, is_told in (([], False), (["used"], True)):
        command = [sys.executable, "-m", "laptime", "run", "--", str(script), *arguments]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0, done.stderr
        assert (told in " ".join(done.stderr.split())) == is_told, done.stderr
