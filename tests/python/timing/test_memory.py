"""Memory of a tracked call: everything the process takes, tensors and native buffers included."""

from __future__ import annotations

import mmap
from typing import Any

import pytest

from laptime import _memory
from laptime.timing import enable_memory_tracking, print_timing_summary, track_time_and_memory

MB = 2**20


def touched(megabytes: int) -> mmap.mmap:
    """Native memory that no Python object counts as its own."""
    held = mmap.mmap(-1, megabytes * MB)
    for at in range(0, megabytes * MB, 4096):
        held[at] = 1
    return held


def test_the_line_and_the_keys(capsys: pytest.CaptureFixture[str]) -> None:
    timers: dict[str, Any] = {}
    enable_memory_tracking()
    held = track_time_and_memory(timers, "Model", touched, 48)
    assert set(timers["Model"]) == {"time", "peak_memory_mb", "current_memory_mb"}
    peak, left = timers["Model"]["peak_memory_mb"], timers["Model"]["current_memory_mb"]
    assert 47 <= peak <= 56
    assert 47 <= left <= 56
    seconds = timers["Model"]["time"]
    expected = f"Model complete: {seconds:.2f}s, peak memory: {peak:.1f} MB\n"
    assert capsys.readouterr().out == expected
    held.close()


def test_what_is_given_back_is_in_the_peak_and_not_in_what_is_left() -> None:
    timers: dict[str, Any] = {}
    track_time_and_memory(timers, "m", lambda: touched(64).close())
    assert 63 <= timers["m"]["peak_memory_mb"] <= 72
    assert abs(timers["m"]["current_memory_mb"]) <= 8


def test_a_call_that_frees_memory_leaves_less_than_nothing() -> None:
    timers: dict[str, Any] = {}
    track_time_and_memory(timers, "m", touched(64).close)
    assert timers["m"]["current_memory_mb"] <= -56
    assert 0 <= timers["m"]["peak_memory_mb"] <= 8


def test_a_nested_call_takes_nothing_from_the_outer_peak(
    capsys: pytest.CaptureFixture[str],
) -> None:
    timers: dict[str, Any] = {}

    def outer() -> None:
        touched(64).close()
        track_time_and_memory(timers, "inner", lambda: touched(16).close())

    track_time_and_memory(timers, "outer", outer)
    assert 63 <= timers["outer"]["peak_memory_mb"] <= 72
    assert 15 <= timers["inner"]["peak_memory_mb"] <= 24
    capsys.readouterr()
    print_timing_summary(timers, "nested")
    assert capsys.readouterr().out.splitlines()[3].startswith("  inner: ")


def test_tensors_are_counted() -> None:
    torch = pytest.importorskip("torch")
    timers: dict[str, Any] = {}
    track_time_and_memory(timers, "tensor", torch.ones, 12 * MB)
    assert 47 <= timers["tensor"]["peak_memory_mb"] <= 60


def test_when_the_function_raises_its_memory_is_kept_too() -> None:
    timers: dict[str, Any] = {}
    with pytest.raises(ZeroDivisionError):
        track_time_and_memory(timers, "fails", lambda: 1 / 0)
    assert set(timers["fails"]) == {"time", "peak_memory_mb", "current_memory_mb"}


def test_where_the_peak_cannot_be_set_back_only_the_bounds_count_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_memory.Region, "resets", False)
    assert _memory.start() == f"{_memory.REASON}; {_memory.NO_RESET}"
    timers: dict[str, Any] = {}
    touched(96).close()
    held = track_time_and_memory(timers, "m", touched, 32)
    assert 31 <= timers["m"]["peak_memory_mb"] <= 40
    track_time_and_memory(timers, "given back", lambda: touched(64).close())
    assert timers["given back"]["peak_memory_mb"] <= 8
    held.close()


def test_how_coarse_the_figures_are_is_said_once(run: Any) -> None:
    code = (
        "import logging; logging.basicConfig()\n"
        "from laptime.timing import track_time_and_memory, quiet\n"
        "quiet()\n"
        "for _ in range(3): track_time_and_memory({}, 'a', int)\n"
    )
    done = run(code)
    assert done.stderr.count("resident memory, in whole pages") == 1
    assert done.stdout == ""
