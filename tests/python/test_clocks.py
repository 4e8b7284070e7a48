"""CPU time beside wall time, and what the report says of the two."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

import laptime as lt

EXAMPLE = Path(__file__).parents[2] / "examples/clocks.py"


def spin_for_cpu_time(seconds: float) -> int:
    """Computes for at least so long; the CPU time that it took, in nanoseconds."""
    begun = time.thread_time_ns()
    while (taken := time.thread_time_ns() - begun) < seconds * 1e9:
        pass
    return taken


def test_a_timer_carries_cpu_time_beside_wall_time() -> None:
    timer = lt.Timer("both", cpu=True)
    around = time.thread_time_ns()
    timer.start("spin")
    taken = spin_for_cpu_time(0.05)
    elapsed = timer.stop("spin")
    around = time.thread_time_ns() - around
    row = timer.summary()["spin"]
    assert elapsed is not None
    assert row.total_ns == pytest.approx(elapsed * 1e9, abs=1)
    assert row.thread_ns is not None
    assert row.process_ns is not None
    assert taken <= row.thread_ns <= around
    assert row.process_ns >= taken
    assert " CPU " in str(timer.summary())


def test_a_timer_without_it_has_no_such_column() -> None:
    timer = lt.Timer("wall only")
    timer.start("a")
    timer.stop("a")
    assert "CPU" not in str(timer.summary()).replace("rate as the CPU states it", "")
    assert timer.summary()["a"].why("process_ns")


def test_waiting_is_said() -> None:
    timer = lt.Timer("waits", cpu=True)
    held = threading.Event()
    timer.start("waiting for an event")
    held.wait(0.05)
    timer.stop("waiting for an event")
    text = " ".join(str(timer.summary()).split())
    assert "waiting for an event: waited; CPU time is" in text or "busy machine" in text


def test_waiting_for_ones_own_thread_is_told_from_sleeping() -> None:
    timer = lt.Timer("waits", cpu=True)
    timer.start("join")
    taken: list[int] = []
    thread = threading.Thread(target=lambda: taken.append(spin_for_cpu_time(0.05)))
    own = time.thread_time_ns()
    thread.start()
    thread.join()
    own = time.thread_time_ns() - own
    timer.stop("join")
    row = timer.summary()["join"]
    assert row.thread_ns is not None
    assert row.process_ns is not None
    assert row.process_ns >= taken[0]
    assert own <= row.thread_ns < row.process_ns - taken[0] / 2


def test_a_recording_has_the_cpu_times_of_a_timers_spans() -> None:
    timer = lt.Timer(cpu=True)
    with lt.lap("a lap with cpu time"):
        timer.start("cpu segment")
        taken = spin_for_cpu_time(0.01)
        timer.stop("cpu segment")
    row = lt.report()["a lap with cpu time/cpu segment"]
    assert row.process_ns is not None
    assert row.thread_ns is not None
    assert row.thread_ns >= taken


def test_the_example_says_a_sentence_of_each() -> None:
    ran = subprocess.run(
        [sys.executable, str(EXAMPLE)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    said = ran.stdout.split("wall and CPU time")[1]
    for name in ("sleeping", "spinning", "waiting for a thread", "waiting for a process"):
        assert f"{name}: " in said
