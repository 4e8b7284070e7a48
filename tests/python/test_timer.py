"""Explicit timers: history, contexts, clocks, and their spans."""

from __future__ import annotations

import logging
import threading
import time
from typing import Literal

import pytest

import laptime as lt


@pytest.mark.interpreter
def test_stop_returns_the_seconds_of_the_segment() -> None:
    timer = lt.Timer("timer")
    begun = time.perf_counter()
    timer.start("sum")
    sum(range(100_000))
    elapsed = timer.stop("sum")
    outside = time.perf_counter() - begun
    assert isinstance(elapsed, float)
    assert 0 < elapsed <= outside
    assert timer.history("sum") == [elapsed]


@pytest.mark.interpreter
def test_history_by_context_and_field() -> None:
    timer = lt.Timer("timer")
    forward = timer.context("forward")
    for _ in range(3):
        forward.start("a")
        forward.stop("a")
    assert len(timer.history("a", context="forward", field="elapsed_time")) == 3
    assert forward.history("a") == timer.history("a", context="forward")
    with pytest.raises(KeyError, match="no segment"):
        timer.history("a")
    with pytest.raises(KeyError, match="no context"):
        timer.history("a", context="backward")
    with pytest.raises(ValueError, match="elapsed_time"):
        timer.history("a", field="weight")  # type: ignore[arg-type]


def test_stop_and_start() -> None:
    timer = lt.Timer()
    timer.start("a")
    assert timer.stop_and_start("a", "b") is not None
    assert timer.stop("b") is not None
    assert (len(timer.history("a")), len(timer.history("b"))) == (1, 1)


@pytest.mark.interpreter
def test_segments_may_overlap_and_nest() -> None:
    timer = lt.Timer()
    timer.start("outer")
    timer.start("inner")
    timer.stop("outer")
    timer.stop("inner")
    timer.start("again")
    timer.start("again")
    inner = timer.stop("again")
    outer = timer.stop("again")
    assert inner is not None
    assert outer is not None
    assert outer > inner
    assert timer.history("again") == [inner, outer]


@pytest.mark.interpreter
def test_stopping_what_was_not_started_is_logged_and_measures_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    timer = lt.Timer()
    with caplog.at_level(logging.WARNING, "laptime"):
        assert timer.stop("never") is None
    assert "'never' was stopped but not started" in caplog.text
    assert timer.history("never") == []


@pytest.mark.interpreter
def test_a_disabled_timer_measures_nothing_and_returns_none() -> None:
    timer = lt.Timer()
    context = timer.context("c")
    timer.disable()
    timer.start("a")
    context.start("a")
    assert timer.stop("a") is None
    assert context.stop("a") is None
    timer.enable()
    context.disable()
    timer.start("a")
    context.start("a")
    assert timer.stop("a") is not None
    assert context.stop("a") is None
    context.enable()
    context.start("a")
    assert context.stop("a") is not None
    assert len(context.history("a")) == 1


def test_clear_and_remove() -> None:
    timer = lt.Timer()
    for name in ("a", "b"):
        timer.start(name)
        timer.stop(name)
    timer.remove("a")
    timer.remove("never there")
    with pytest.raises(KeyError):
        timer.history("a")
    assert len(timer.history("b")) == 1
    timer.start("b")
    timer.stop("b")
    assert len(timer.history("b")) == 2
    timer.clear()
    with pytest.raises(KeyError):
        timer.history("b")


def test_the_cpu_clocks_do_not_count_waiting() -> None:
    own = time.thread_time()
    timers = {clock: lt.Timer(clock=clock) for clock in ("wall", "process", "thread")}
    for timer in timers.values():
        timer.start("wait")
    waited = time.perf_counter()
    threading.Event().wait(0.03)
    waited = time.perf_counter() - waited
    elapsed = {clock: timer.stop("wait") for clock, timer in timers.items()}
    own = time.thread_time() - own
    assert elapsed["wall"] is not None
    assert elapsed["thread"] is not None
    assert elapsed["wall"] >= 0.99 * waited
    assert 0 < elapsed["thread"] <= own
    with pytest.raises(ValueError, match="clock is"):
        lt.Timer(clock="lunar")  # type: ignore[arg-type]


@pytest.mark.interpreter
def test_a_segment_is_a_leaf_span_under_the_lap_open_at_its_start() -> None:
    timer = lt.Timer()
    with lt.lap("has segments"):
        timer.start("first segment")
        timer.start("second segment")
        with lt.lap("a lap inside"):
            pass
        timer.stop("first segment")
    timer.stop("second segment")
    report = lt.report()
    assert report["has segments/first segment"].count == 1
    assert report["has segments/second segment"].count == 1
    assert report["has segments/a lap inside"].count == 1
    row = report["has segments"]
    # Segments may overlap, so they take nothing from the lap's own time.
    assert row.self_ns == row.total_ns - report["a lap inside"].total_ns


def test_a_cpu_clock_reaches_the_report() -> None:
    timer = lt.Timer(clock="thread")
    with lt.lap("cpu"):
        timer.start("thread segment")
        sum(range(200_000))
        elapsed = timer.stop("thread segment")
    row = lt.report()["cpu/thread segment"]
    assert elapsed is not None
    assert row.thread_ns == pytest.approx(elapsed * 1e9, abs=1)
    assert row.process_ns is None
    assert row.why("process_ns")
    assert row.why("thread_ns") is None


def test_summary_has_a_table_per_context() -> None:
    timer = lt.Timer("Word2Vec")
    forward = timer.context("forward")
    for _ in range(4):
        timer.start("a")
        timer.stop("a")
        forward.start("b")
        forward.stop("b")
    timer.context("empty")
    summary = timer.summary()
    assert list(summary) == ["main/a", "forward/b"]
    assert summary["a"].count == 4
    assert summary["forward/b"].total_ns == pytest.approx(sum(forward.history("b")) * 1e9, rel=1e-6)
    text = str(summary)
    assert text.index("Word2Vec: main") < text.index("Word2Vec: forward")
    assert "empty" not in text
    assert str(lt.Timer("nothing yet").summary())


def test_a_timer_works_while_laps_are_off() -> None:
    timer = lt.Timer()
    lt.disable()
    try:
        timer.start("while off")
        assert timer.stop("while off") is not None
    finally:
        lt.enable()
    assert "while off" not in lt.report()


def test_the_cpu_as_a_device_is_host_time() -> None:
    timer = lt.Timer("timer", device="cpu")
    timer.start("a")
    assert type(timer.stop("a")) is float
    assert timer.summary()["a"].why("device_ns") == "the device is the CPU"


@pytest.mark.interpreter
@pytest.mark.parametrize("wrong", [1, None, b"x"])
def test_a_segment_name_is_a_string(wrong: object) -> None:
    timer = lt.Timer()
    with pytest.raises(TypeError):
        timer.start(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        timer.start()  # type: ignore[call-arg]


@pytest.mark.parametrize(
    ("clock", "said"),
    [
        ("wall", "host time summed over segments"),
        ("process", "CPU time of the process, summed over segments"),
        ("thread", "CPU time of the thread, summed over segments"),
    ],
)
def test_a_table_says_which_clock_its_segments_were_measured_by(
    clock: Literal["wall", "process", "thread"], said: str
) -> None:
    timer = lt.Timer("clocked", clock=clock)
    timer.start("a")
    timer.stop("a")
    assert said in str(timer.summary())
