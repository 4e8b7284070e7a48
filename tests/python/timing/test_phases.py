"""`DetailedTimer`: phases that repeat, nest and overlap."""

from __future__ import annotations

import logging
import re
import time

import pytest

import laptime as lt
from laptime.timing import DetailedTimer


def spend(seconds: float) -> None:
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


def test_phases_add_up_and_stand_longest_first(capsys: pytest.CaptureFixture[str]) -> None:
    timer = DetailedTimer("Training")
    for _ in range(2):
        timer.start_phase("collect")
        spend(0.005)
        timer.end_phase("collect")
        timer.start_phase("compute")
        spend(0.02)
        assert timer.end_phase() is not None
    assert timer.phases["collect"] >= 0.01
    assert timer.phases["compute"] >= 0.04
    assert timer.total == pytest.approx(sum(timer.phases.values()))
    longest = sorted(timer.phases.items(), key=lambda phase: -phase[1])
    timer.print_breakdown()
    assert capsys.readouterr().out == (
        "Training - Detailed Breakdown:\n"
        "----------------------------------------\n"
        + "".join(
            f"  {phase:<20}: {seconds:>8.2f}s ({seconds / timer.total * 100:5.1f}%)\n"
            for phase, seconds in longest
        )
        + "----------------------------------------\n"
    )


def test_a_nested_phase_has_a_share_and_adds_nothing_to_the_total() -> None:
    timer = DetailedTimer("nested")
    timer.start_phase("epoch")
    timer.start_phase("batch")
    spend(0.01)
    timer.end_phase("batch")
    timer.end_phase("epoch")
    assert timer.phases["batch"] <= timer.phases["epoch"] == timer.total


def test_a_phase_inside_itself_is_counted_once() -> None:
    timer = DetailedTimer("again")
    timer.start_phase("a")
    timer.start_phase("a")
    spend(0.01)
    timer.end_phase("a")
    timer.end_phase("a")
    assert timer.phases["a"] == timer.total


def test_overlapping_phases_cover_their_union() -> None:
    timer = DetailedTimer("overlap")
    timer.start_phase("a")
    spend(0.005)
    timer.start_phase("b")
    spend(0.005)
    timer.end_phase("a")
    spend(0.005)
    timer.end_phase("b")
    a, b = timer.phases["a"], timer.phases["b"]
    assert max(a, b) < timer.total < a + b


def test_a_phase_still_open_counts_so_far(capsys: pytest.CaptureFixture[str]) -> None:
    timer = DetailedTimer("open")
    timer.start_phase("running")
    spend(0.006)
    timer.print_breakdown()
    assert re.search(r"  running             :     0.\d\ds \(100.0%\)", capsys.readouterr().out)
    assert timer.end_phase() is not None


def test_no_phase_prints_the_frame(capsys: pytest.CaptureFixture[str]) -> None:
    DetailedTimer("Empty").print_breakdown()
    rule = "-" * 40
    assert capsys.readouterr().out == f"Empty - Detailed Breakdown:\n{rule}\n{rule}\n"


def test_ending_what_was_not_started_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    timer = DetailedTimer("wrong")
    with caplog.at_level(logging.WARNING, "laptime"):
        assert timer.end_phase("never") is None
        assert timer.end_phase() is None
    assert "'never' was ended but not started" in caplog.text
    assert timer.phases == {}


def test_phases_are_spans() -> None:
    timer = DetailedTimer("spans")
    with lt.lap("detailed"):
        timer.start_phase("outer phase")
        timer.start_phase("inner phase")
        timer.end_phase()
        timer.end_phase()
    assert lt.report()["detailed/outer phase/inner phase"].count == 1


@pytest.mark.parametrize("wrong", [1, None, b"x"])
def test_names_are_strings(wrong: object) -> None:
    with pytest.raises(TypeError, match="phase is a string"):
        DetailedTimer("t").start_phase(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="name is a string"):
        DetailedTimer(wrong)  # type: ignore[arg-type]
