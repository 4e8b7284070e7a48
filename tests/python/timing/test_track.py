"""`track_time`: what it stores, prints and passes on, and what it refuses."""

from __future__ import annotations

import logging
import re
import sys
import threading
import time
from typing import Any

import pytest

import laptime as lt
from laptime import timing
from laptime.timing import print_timing_summary, track_time


def spend(seconds: float) -> None:
    until = time.perf_counter() + seconds
    while time.perf_counter() < until:
        pass


@pytest.fixture(autouse=True)
def loud() -> Any:
    timing.quiet(False)
    yield
    timing.quiet(False)


def test_the_line_the_seconds_and_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    timers: dict[str, float] = {}
    begun = time.perf_counter()
    result = track_time(timers, "MLP training", lambda: (spend(0.02), "model", [1])[1:])
    outside = time.perf_counter() - begun
    assert result == ("model", [1])
    assert type(timers["MLP training"]) is float
    assert 0.02 <= timers["MLP training"] <= outside
    shown = f"{timers['MLP training']:.2f}"
    assert capsys.readouterr().out == f"MLP training complete: {shown}s total\n"


def test_every_keyword_reaches_the_function() -> None:
    def train(*args: object, **kwargs: object) -> tuple[object, object]:
        return args, kwargs

    keywords = {"name": 1, "timers": 2, "func": 3, "args": 4, "kwargs": 5, "quiet": 6}
    assert track_time({}, "all", train, 7, **keywords) == ((7,), keywords)


def test_quiet_silences_the_lines_and_nothing_else(capsys: pytest.CaptureFixture[str]) -> None:
    timers: dict[str, float] = {}
    timing.quiet(True)
    assert track_time(timers, "silent", int) == 0
    assert capsys.readouterr().out == ""
    print_timing_summary(timers, "asked for")
    assert "silent:" in capsys.readouterr().out
    timing.quiet(False)
    track_time(timers, "loud", int)
    assert capsys.readouterr().out == f"loud complete: {timers['loud']:.2f}s total\n"


@pytest.mark.parametrize("error", [ValueError("boom"), KeyboardInterrupt()])
def test_when_the_function_raises_the_time_so_far_is_kept(
    error: BaseException, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail() -> None:
        spend(0.01)
        raise error

    timers: dict[str, float] = {}
    with pytest.raises(type(error)) as caught:
        track_time(timers, "fails", fail)
    assert caught.value is error
    assert timers["fails"] >= 0.01
    assert capsys.readouterr().out == ""
    track_time(timers, "after", int)
    assert set(timers) == {"fails", "after"}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([], "name", int), "timers is a dictionary, not list"),
        ((None, "name", int), "timers is a dictionary, not NoneType"),
        (({}, 3, int), "name is a string, not int"),
        (({}, "name", "train"), "func is something to call, not str"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_runs(
    arguments: tuple[Any, Any, Any], message: str
) -> None:
    for track in (track_time, timing.track_time_and_memory, timing.track_time_and_gpu):
        with pytest.raises(TypeError, match=re.escape(message)):
            track(*arguments)


def test_a_coroutine_is_returned_and_said_not_to_be_timed(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def later() -> int:
        return 3

    with caplog.at_level(logging.WARNING, "laptime"):
        coroutine = track_time({}, "later", later)
    coroutine.close()
    assert "returned a coroutine: what it does later is not timed" in caplog.text


def test_the_name_stays_on_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    timers: dict[str, float] = {}
    name = "a|b\nc\x1b[31m"
    track_time(timers, name, int)
    seconds = f"{timers[name]:.2f}s"
    assert capsys.readouterr().out == f"a|b\\nc\\u{{1b}}[31m complete: {seconds} total\n"
    assert list(timers) == [name]


def test_an_output_that_is_gone_takes_nothing_from_the_program(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Gone:
        encoding = "utf-8"

        def write(self, text: str) -> int:
            raise BrokenPipeError

    for out in (Gone(), None):
        monkeypatch.setattr(sys, "stdout", out)
        assert track_time({}, "gone", lambda: 5) == 5


def test_an_output_of_few_characters_gets_escapes(run: Any) -> None:
    code = "from laptime.timing import track_time; track_time({}, 'µ', int)"
    done = run(code, env={"PYTHONIOENCODING": "ascii"})
    assert re.fullmatch(r"\\xb5 complete: \d+\.\d\ds total\n", done.stdout)


def test_a_tracked_call_is_a_span_and_laps_hang_below_it() -> None:
    def train() -> None:
        with lt.lap("inner lap"):
            pass

    timers: dict[str, float] = {}
    with lt.lap("timing section"):
        track_time(timers, "tracked span", train)
    row = lt.report()["timing section/tracked span"]
    assert row.count == 1
    assert row.total_ns == pytest.approx(timers["tracked span"] * 1e9, rel=1e-3, abs=2)
    assert "timing section/tracked span/inner lap" in lt.report()


def test_it_measures_while_laps_are_off() -> None:
    timers: dict[str, float] = {}
    lt.disable()
    try:
        track_time(timers, "while tracking is off", spend, 0.01)
    finally:
        lt.enable()
    assert timers["while tracking is off"] >= 0.01
    assert "while tracking is off" not in lt.report()


def test_nested_calls_are_known_even_in_a_copy(capsys: pytest.CaptureFixture[str]) -> None:
    timers: dict[str, float] = {}

    def outer() -> None:
        track_time(timers, "inner", spend, 0.02)

    track_time(timers, "outer", outer)
    capsys.readouterr()
    for held in (timers, dict(timers)):
        print_timing_summary(held, "nested")
        lines = capsys.readouterr().out.splitlines()
        assert lines[3].startswith("  inner:  ")
        assert lines[4].startswith("outer:  ")
        assert lines[4].endswith("s (100.0%)")
        assert lines[6] == f"{'Total time:':<25}{timers['outer']:>8.2f}s"
    # Without the entry that it ran inside, or after that was replaced, it stands alone.
    for change in ({"inner": timers["inner"]}, {**timers, "outer": 1.0}):
        print_timing_summary(change, "alone")
        assert capsys.readouterr().out.splitlines()[3].startswith("inner: ")


def test_a_call_on_another_thread_is_not_nested(capsys: pytest.CaptureFixture[str]) -> None:
    timers: dict[str, float] = {}

    def outer() -> None:
        thread = threading.Thread(target=track_time, args=(timers, "worker", int))
        thread.start()
        thread.join()

    track_time(timers, "outer", outer)
    capsys.readouterr()
    print_timing_summary(timers, "threads")
    assert "\nworker: " in capsys.readouterr().out


def test_a_name_used_again_keeps_the_last_time() -> None:
    timers: dict[str, float] = {}
    track_time(timers, "again", spend, 0.02)
    first = timers["again"]
    track_time(timers, "again", spend, 0.001)
    assert timers["again"] is not first
    assert list(timers) == ["again"]


def test_a_tracked_call_costs_few_calls(capsys: pytest.CaptureFixture[str]) -> None:
    timers: dict[str, float] = {}
    calls: list[str] = []
    track_time(timers, "cheap", int)
    before = sys.getprofile()
    sys.setprofile(lambda _, event, __: calls.append(event) if "call" in event else None)
    try:
        track_time(timers, "cheap", int)
    finally:
        sys.setprofile(before)
    assert capsys.readouterr().out.count("\n") == 2
    # What it takes is a benchmark's; what it calls is the same on every machine.
    assert 10 <= len(calls) <= 150
