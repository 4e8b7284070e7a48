"""With a scripted device: waits stand inside the interval, and its memory is that of the call."""

from __future__ import annotations

import logging
import re
import sys
import time
import types
from typing import Any

import pytest

from laptime.compat.timing import output
from laptime.timing import (
    benchmark_inference,
    get_gpu_memory_usage,
    print_timing_summary,
    track_time,
    track_time_and_gpu,
)

MB = 2**20


class Device:
    """Computes after the call that launched it returned, and allocates as it is told."""

    def __init__(self) -> None:
        self.done_at = 0.0
        self.allocated = self.most = 0
        self.waits: list[object] = []
        self.is_capturing = False

    def launch(self, seconds: float) -> None:
        self.done_at = max(self.done_at, time.perf_counter()) + seconds

    def allocate(self, megabytes: int) -> None:
        self.allocated += megabytes * MB
        self.most = max(self.most, self.allocated)

    def synchronize(self, device: object = None) -> None:
        self.waits.append(device)
        while time.perf_counter() < self.done_at:
            pass

    def reset_peak_memory_stats(self, device: object = None) -> None:
        self.most = self.allocated

    def module(self) -> types.SimpleNamespace:
        cuda = types.SimpleNamespace(
            is_available=lambda: True,
            is_initialized=lambda: True,
            device_count=lambda: 1,
            is_current_stream_capturing=lambda: self.is_capturing,
            synchronize=self.synchronize,
            memory_allocated=lambda device: self.allocated,
            memory_reserved=lambda device: 2048 * MB,
            max_memory_allocated=lambda device: self.most,
            reset_peak_memory_stats=self.reset_peak_memory_stats,
        )
        return types.SimpleNamespace(cuda=cuda, no_grad=Nothing)


class Nothing:
    def __enter__(self) -> None: ...
    def __exit__(self, *error: object) -> None: ...


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch) -> Device:
    device = Device()
    monkeypatch.setitem(sys.modules, "torch", device.module())
    return device


def test_work_launched_by_the_call_is_in_its_time_and_earlier_work_is_not(device: Device) -> None:
    timers: dict[str, float] = {}
    device.launch(0.3)
    earlier_done_at = device.done_at
    track_time(timers, "launches", device.launch, 0.01)
    assert 0.01 <= timers["launches"] <= time.perf_counter() - earlier_done_at


def test_nothing_is_waited_for_while_a_graph_is_captured(device: Device) -> None:
    device.is_capturing = True
    track_time({}, "captured", int)
    assert device.waits == []


def test_a_failing_device_does_not_fail_the_call(device: Device) -> None:
    def fail(_: object = None) -> None:
        raise RuntimeError("device-side assert triggered")

    sys.modules["torch"].cuda.synchronize = fail
    assert track_time({}, "fails", lambda: 3) == 3


def test_the_line_and_the_figures_are_those_of_the_call(
    device: Device, capsys: pytest.CaptureFixture[str]
) -> None:
    device.allocate(4096)
    device.allocate(-4000)
    timers: dict[str, Any] = {}

    def train() -> None:
        device.allocate(900)
        device.allocate(-800)

    track_time_and_gpu(timers, "Model", train)
    time_spent = timers["Model"].pop("time")
    line = f"Model complete: {time_spent:.2f}s, GPU peak: 996.0 MB\n"
    assert capsys.readouterr().out == line
    assert time_spent > 0
    assert timers["Model"] == {
        "allocated_mb": 196.0,
        "reserved_mb": 2048.0,
        "max_allocated_mb": 996.0,
    }
    assert get_gpu_memory_usage()["allocated_mb"] == 196.0


def test_a_nested_call_takes_nothing_from_the_outer_peak(device: Device) -> None:
    timers: dict[str, Any] = {}

    def outer() -> None:
        device.allocate(500)
        device.allocate(-500)
        track_time_and_gpu(timers, "inner", device.allocate, 10)

    track_time_and_gpu(timers, "outer", outer)
    assert timers["outer"]["max_allocated_mb"] == 500.0
    assert timers["inner"]["max_allocated_mb"] == 10.0


def test_a_nested_peak_folds_and_the_programs_own_stays_what_it_was(device: Device) -> None:
    timers: dict[str, Any] = {}
    device.allocate(700)
    device.allocate(-700)

    def inner() -> None:
        device.allocate(400)
        device.allocate(-400)

    def outer() -> None:
        device.allocate(100)
        track_time_and_gpu(timers, "inner", inner)
        device.allocate(-100)

    track_time_and_gpu(timers, "outer", outer)
    assert timers["inner"]["max_allocated_mb"] == 500.0
    assert timers["outer"]["max_allocated_mb"] == 500.0
    assert timers["outer"]["allocated_mb"] == 0.0
    assert sys.modules["torch"].cuda.max_memory_allocated(None) == 700 * MB
    assert get_gpu_memory_usage()["max_allocated_mb"] == 700.0


def test_a_device_that_comes_into_use_within_the_call_is_measured(
    device: Device, monkeypatch: pytest.MonkeyPatch
) -> None:
    cuda = sys.modules["torch"].cuda
    monkeypatch.setattr(cuda, "is_initialized", lambda: False)
    assert get_gpu_memory_usage()["allocated_mb"] == 0.0

    def use() -> None:
        monkeypatch.setattr(cuda, "is_initialized", lambda: True)
        device.allocate(64)
        device.allocate(-60)

    timers: dict[str, Any] = {}
    track_time_and_gpu(timers, "first", use)
    assert timers["first"]["max_allocated_mb"] == 64.0
    assert timers["first"]["allocated_mb"] == 4.0


def test_without_a_gpu_the_time_stands_alone_and_the_reason_is_logged_once(
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setattr(output, "_said", set())
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    timers: dict[str, Any] = {}
    with caplog.at_level(logging.WARNING, "laptime"):
        for _ in range(2):
            assert track_time_and_gpu(timers, "Model", lambda: "result") == "result"
    assert re.fullmatch(r"(Model complete: \d+\.\d\ds\n){2}", capsys.readouterr().out)
    assert timers["Model"].pop("time") >= 0
    assert timers["Model"] == {
        "allocated_mb": None,
        "reserved_mb": None,
        "max_allocated_mb": None,
    }
    assert caplog.text.count("GPU memory is not measured: the program has not imported") == 1


def test_a_gpu_that_pytorch_does_not_find_is_another_reason(
    device: Device, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(output, "_said", set())
    for question in ("is_available", "is_initialized"):
        monkeypatch.setattr(sys.modules["torch"].cuda, question, lambda: False)
    with caplog.at_level(logging.WARNING, "laptime"):
        assert get_gpu_memory_usage() == dict.fromkeys(
            ("allocated_mb", "reserved_mb", "max_allocated_mb")
        )
    assert "GPU memory is not measured: this PyTorch is built without CUDA" in caplog.text


def test_timers_of_all_kinds_stand_in_one_dictionary(
    device: Device, capsys: pytest.CaptureFixture[str]
) -> None:
    timers: dict[str, Any] = {"by hand": 1.0}
    track_time_and_gpu(timers, "gpu", int)
    track_time(timers, "plain", int)
    print_timing_summary(timers, "mixed")
    assert capsys.readouterr().out.count("s (") == 3


def test_a_benchmark_waits_for_the_device_of_the_input(device: Device) -> None:
    place = types.SimpleNamespace(type="cuda")
    batch = types.SimpleNamespace(shape=(4, 3), device=place)

    def model(_: object) -> None:
        device.launch(0.002)

    begun = time.perf_counter()
    found = benchmark_inference(model, batch, num_iterations=5, warmup=2)
    assert 2.0 <= found["min_ms"] <= (time.perf_counter() - begun) * 1e3 / 5
    assert found["batch_size"] == 4
    # Before and after each timed call.
    assert device.waits == [place] * 10
