"""Memory of a tracked call: every allocation counted, or resident memory where none can be."""

from __future__ import annotations

import gc
import logging
import mmap
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from laptime import _core, _resident_memory as resident_memory
from laptime.compat.timing import memory, output
from laptime.timing import (
    enable_memory_tracking,
    print_timing_summary,
    track_time_and_memory,
)

MB = 2**20
#: The call's own books, and what the import of a module or a cache may leave.
LITTLE_MB = 0.06


def bytes_of(megabytes: int) -> object:
    return bytes(megabytes * MB)


def numpy_of(megabytes: int) -> object:
    return pytest.importorskip("numpy").empty(megabytes * MB, dtype="uint8")


def tensor_of(megabytes: int) -> object:
    torch = pytest.importorskip("torch")
    return torch.empty(megabytes * MB, dtype=torch.uint8)


KINDS = (bytes_of, numpy_of, tensor_of)


@pytest.fixture(autouse=True)
def _no_garbage() -> Iterator[None]:
    """What other tests left is not freed in the midst of a call."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.fixture
def tracked() -> Callable[..., dict[str, float]]:
    def tracked(func: Callable[..., object], *arguments: object) -> dict[str, float]:
        timers: dict[str, Any] = {}
        track_time_and_memory(timers, "call", func, *arguments)
        return timers["call"]

    return tracked


def test_the_line_and_the_keys(capsys: pytest.CaptureFixture[str]) -> None:
    timers: dict[str, Any] = {}
    enable_memory_tracking()
    held = track_time_and_memory(timers, "Model", bytes_of, 48)
    assert set(timers["Model"]) == {"time", "peak_memory_mb", "current_memory_mb"}
    seconds, peak = timers["Model"]["time"], timers["Model"]["peak_memory_mb"]
    expected = f"Model complete: {seconds:.2f}s, peak memory: {peak:.1f} MB\n"
    assert capsys.readouterr().out == expected
    assert "peak memory: 48.0 MB" in expected
    del held


@pytest.mark.parametrize("size", [8, 64])
@pytest.mark.parametrize("make", KINDS)
def test_what_a_call_leaves_behind_is_known_within_a_percent(
    make: Callable[[int], object], size: int
) -> None:
    make(1)  # imports
    timers: dict[str, Any] = {}
    held = track_time_and_memory(timers, "call", make, size)
    assert timers["call"]["peak_memory_mb"] == pytest.approx(size, rel=0.01)
    assert timers["call"]["current_memory_mb"] == pytest.approx(size, rel=0.01)
    del held


@pytest.mark.parametrize("size", [8, 64])
@pytest.mark.parametrize("make", KINDS)
def test_what_a_call_frees_again_is_in_its_peak_alone(
    make: Callable[[int], object], size: int, tracked: Callable[..., dict[str, float]]
) -> None:
    def both() -> None:
        first = make(size)
        del first
        make(size // 2)

    make(1)
    found = tracked(both)
    assert found["peak_memory_mb"] == pytest.approx(size, rel=0.01)
    assert abs(found["current_memory_mb"]) <= LITTLE_MB


@pytest.mark.parametrize("make", KINDS)
def test_memory_that_is_freed_and_taken_again_counts_each_time(
    make: Callable[[int], object], tracked: Callable[..., dict[str, float]]
) -> None:
    make(1)
    for _ in range(3):
        assert tracked(make, 8)["peak_memory_mb"] == pytest.approx(8, rel=0.01)


def test_small_python_objects_count_one_by_one() -> None:
    count = 65_536
    timers: dict[str, Any] = {}
    held = track_time_and_memory(timers, "call", tuple, range(MB, MB + count))
    # An integer takes 32 bytes, and its place in the tuple 8.
    assert timers["call"]["current_memory_mb"] * MB == pytest.approx(40 * count, rel=0.01)
    del held


def test_a_call_that_frees_memory_leaves_less_than_nothing(
    tracked: Callable[..., dict[str, float]],
) -> None:
    held = [bytes_of(64)]
    found = tracked(held.clear)
    assert found["current_memory_mb"] == pytest.approx(-64, rel=0.01)
    assert 0 <= found["peak_memory_mb"] <= LITTLE_MB


def test_memory_that_is_mapped_counts(tracked: Callable[..., dict[str, float]]) -> None:
    found = tracked(lambda: mmap.mmap(-1, 48 * MB, flags=mmap.MAP_PRIVATE).close())
    assert found["peak_memory_mb"] == pytest.approx(48, rel=0.01)
    assert abs(found["current_memory_mb"]) <= LITTLE_MB


def test_a_nested_call_takes_nothing_from_the_outer_peak(
    capsys: pytest.CaptureFixture[str],
) -> None:
    timers: dict[str, Any] = {}

    def outer() -> None:
        bytes_of(64)
        track_time_and_memory(timers, "inner", bytes_of, 16)

    track_time_and_memory(timers, "outer", outer)
    assert timers["outer"]["peak_memory_mb"] == pytest.approx(64, rel=0.01)
    assert timers["inner"]["peak_memory_mb"] == pytest.approx(16, rel=0.01)
    capsys.readouterr()
    print_timing_summary(timers, "nested")
    assert capsys.readouterr().out.splitlines()[3].startswith("  inner: ")


def test_a_nested_peak_folds_into_the_outer_one() -> None:
    timers: dict[str, Any] = {}

    def outer() -> None:
        held = bytes_of(8)
        track_time_and_memory(timers, "inner", bytes_of, 64)
        del held

    track_time_and_memory(timers, "outer", outer)
    assert timers["outer"]["peak_memory_mb"] == pytest.approx(72, rel=0.01)
    assert timers["inner"]["peak_memory_mb"] == pytest.approx(64, rel=0.01)


def test_calls_of_two_threads_have_their_own_memory() -> None:
    timers: dict[str, Any] = {}
    together = threading.Barrier(2)

    def allocate(megabytes: int) -> None:
        together.wait(20)
        held = bytes_of(megabytes)
        together.wait(20)
        del held

    def track(megabytes: int) -> None:
        track_time_and_memory(timers, str(megabytes), allocate, megabytes)

    threads = [threading.Thread(target=track, args=(size,)) for size in (8, 64)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert timers["8"]["peak_memory_mb"] == pytest.approx(8, rel=0.01)
    assert timers["64"]["peak_memory_mb"] == pytest.approx(64, rel=0.01)


def test_when_the_function_raises_its_memory_is_kept_too() -> None:
    timers: dict[str, Any] = {}

    def fail() -> None:
        bytes_of(8)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        track_time_and_memory(timers, "fails", fail)
    assert timers["fails"]["peak_memory_mb"] == pytest.approx(8, rel=0.01)


def test_when_counting_ends_within_a_call_its_figures_are_none_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(output, "_said", set())
    timers: dict[str, Any] = {}
    track_time_and_memory(timers, "call", _core.memory_stop)
    assert timers["call"]["peak_memory_mb"] is timers["call"]["current_memory_mb"] is None
    assert capsys.readouterr().out == f"call complete: {timers['call']['time']:.2f}s\n"
    assert memory.ENDED in caplog.text
    track_time_and_memory(timers, "next", bytes_of, 8)
    assert timers["next"]["peak_memory_mb"] == pytest.approx(8, rel=0.01)


# Where allocations cannot be counted.


@pytest.fixture
def uncounted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(output, "_said", set())
    monkeypatch.setattr(memory, "memory_start", lambda objects: (False, "tables are locked"))
    monkeypatch.setattr(memory, "memory_open", lambda: 0)


def touched(megabytes: int) -> mmap.mmap:
    """Native memory with every page in use."""
    held = mmap.mmap(-1, megabytes * MB)
    for at in range(0, megabytes * MB, 4096):
        held[at] = 1
    return held


@pytest.mark.usefixtures("uncounted")
def test_resident_memory_takes_the_place_of_counts_and_that_is_said_once(
    tracked: Callable[..., dict[str, float]], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING, "laptime"):
        found = tracked(lambda: touched(64).close())
        freed = tracked(touched(64).close)
    assert 63 <= found["peak_memory_mb"] <= 72
    assert abs(found["current_memory_mb"]) <= 8
    assert freed["current_memory_mb"] <= -56
    assert 0 <= freed["peak_memory_mb"] <= 8
    assert caplog.text.count("resident memory, in whole pages") == 1
    assert "tables are locked" in caplog.text


@pytest.mark.usefixtures("uncounted")
def test_nested_resident_peaks_fold() -> None:
    timers: dict[str, Any] = {}

    def outer() -> None:
        touched(64).close()
        track_time_and_memory(timers, "inner", lambda: touched(16).close())

    track_time_and_memory(timers, "outer", outer)
    assert 63 <= timers["outer"]["peak_memory_mb"] <= 72
    assert 15 <= timers["inner"]["peak_memory_mb"] <= 24


@pytest.mark.usefixtures("uncounted")
def test_where_the_peak_cannot_be_set_back_only_the_bounds_count_and_that_is_said(
    monkeypatch: pytest.MonkeyPatch, tracked: Callable[..., dict[str, float]]
) -> None:
    monkeypatch.setattr(resident_memory.Region, "resets", False)
    assert resident_memory.why() == f"{resident_memory.REASON}; {resident_memory.NO_RESET}"
    touched(96).close()
    assert tracked(lambda: touched(64).close())["peak_memory_mb"] <= 8
    timers: dict[str, Any] = {}
    held = track_time_and_memory(timers, "m", touched, 32)
    assert 31 <= timers["m"]["peak_memory_mb"] <= 40
    held.close()


def test_objects_that_cannot_be_counted_one_by_one_are_said_once(run: Any) -> None:
    code = (
        "import logging; logging.basicConfig()\n"
        "from laptime.timing import track_time_and_memory, quiet\n"
        "quiet()\n"
        "timers = {}\n"
        "for _ in range(3): track_time_and_memory(timers, 'a', bytes, 8 * 2**20)\n"
        "assert abs(timers['a']['peak_memory_mb'] - 8) < 0.08, timers\n"
    )
    done = run(code, env={"PYTHONMALLOC": "debug"})
    assert done.stderr.count("counted by the megabyte") == 1
    assert done.stdout == ""
