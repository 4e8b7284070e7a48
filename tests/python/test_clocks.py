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


def spin_for_cpu_time(seconds: float) -> None:
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


def test_a_timer_carries_cpu_time_beside_wall_time() -> None:
    timer = lt.Timer("both", cpu=True)
    timer.start("spin")
    spin_for_cpu_time(0.05)
    elapsed = timer.stop("spin")
    row = timer.summary()["spin"]
    assert elapsed is not None
    assert row.total_ns == pytest.approx(elapsed * 1e9, abs=1)
    assert row.thread_ns is not None
    assert row.process_ns is not None
    assert 45e6 <= row.thread_ns <= row.total_ns * 1.05
    assert row.process_ns >= row.thread_ns * 0.99
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
    thread = threading.Thread(target=spin_for_cpu_time, args=(0.05,))
    thread.start()
    thread.join()
    timer.stop("join")
    row = timer.summary()["join"]
    assert row.thread_ns is not None
    assert row.process_ns is not None
    assert row.process_ns > 45e6
    assert row.thread_ns < row.process_ns / 2


def test_a_recording_has_the_cpu_times_of_a_timers_spans() -> None:
    timer = lt.Timer(cpu=True)
    with lt.lap("a lap with cpu time"):
        timer.start("cpu segment")
        spin_for_cpu_time(0.01)
        timer.stop("cpu segment")
    row = lt.report()["a lap with cpu time/cpu segment"]
    assert row.process_ns is not None
    assert row.thread_ns is not None
    assert row.thread_ns >= 9e6


def test_the_example_says_a_sentence_of_each() -> None:
    ran = subprocess.run(
        [sys.executable, str(EXAMPLE)], capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr
    said = ran.stdout.split("wall and CPU time")[1]
    for name in ("sleeping", "spinning", "waiting for a thread", "waiting for a process"):
        assert f"{name}: " in said
