"""Timers on a device: event pairs, never a wait between start and stop, peaks folded."""

from __future__ import annotations

import json
import math
import numbers
import pickle
import sys
import types
from typing import Any

import pytest
from fake_cuda import FakeCuda, Stream, fake_torch

import laptime as lt
from laptime import device

MILLISECOND = 1_000_000


def segment(timer: lt.Timer, cuda: FakeCuda, ns: int, name: str = "a") -> Any:
    timer.start(name)
    cuda.stream.launch(ns)
    return timer.stop(name)


def test_time_is_that_of_the_event_pair_and_nothing_waits_before_it_is_used(cuda: FakeCuda) -> None:
    timer = lt.Timer("device", device="cuda")
    elapsed = segment(timer, cuda, 20 * MILLISECOND)
    assert not [call for call in cuda.calls if "synchronize" in call]
    assert not elapsed.is_ready
    assert float(elapsed) == pytest.approx(0.020)
    assert cuda.calls.count("event.synchronize") == 1
    assert "synchronize" not in cuda.calls
    assert timer.history("a") == [pytest.approx(0.020)]


def test_a_use_waits_for_its_own_event_only(cuda: FakeCuda) -> None:
    timer = lt.Timer(device="cuda")
    first = segment(timer, cuda, 5 * MILLISECOND)
    second = segment(timer, cuda, 7 * MILLISECOND)
    assert float(first) == pytest.approx(0.005)
    assert cuda.device_ns == 5 * MILLISECOND
    assert not second.is_ready


def test_events_are_recorded_on_the_stream_that_is_current_at_the_start(cuda: FakeCuda) -> None:
    timer = lt.Timer(device="cuda")
    default, side = cuda.stream, Stream(cuda, "side")
    timer.start("anchored")
    timer.stop("anchored")
    cuda.calls.clear()
    cuda.stream = side
    timer.start("a")
    cuda.stream.launch(3 * MILLISECOND)
    cuda.stream = default
    default.launch(50 * MILLISECOND)
    elapsed = timer.stop("a")
    assert [call for call in cuda.calls if "record" in call] == ["record on side"] * 2
    assert elapsed is not None
    assert float(elapsed) == pytest.approx(0.003)


def test_the_elapsed_number_is_a_real_but_no_float(cuda: FakeCuda) -> None:
    elapsed = segment(lt.Timer(device="cuda"), cuda, 2_500 * MILLISECOND)
    assert isinstance(elapsed, numbers.Real)
    assert not isinstance(elapsed, float)
    with pytest.raises(TypeError):
        json.dumps(elapsed)
    assert elapsed == 2.5
    assert (elapsed + 1, 1 + elapsed, elapsed - 1, 5 - elapsed) == (3.5, 3.5, 1.5, 2.5)
    assert (elapsed * 2, 2 * elapsed, elapsed / 2, 5 / elapsed) == (5.0, 5.0, 1.25, 2.0)
    assert (elapsed // 1, elapsed % 1, elapsed**2, 2**elapsed) == (2.0, 0.5, 6.25, 2**2.5)
    assert (7 // elapsed, 7 % elapsed, divmod(elapsed, 1)) == (2.0, 2.0, (2.0, 0.5))
    assert (-elapsed, +elapsed, abs(elapsed)) == (-2.5, 2.5, 2.5)
    assert (int(elapsed), round(elapsed), math.floor(elapsed), math.ceil(elapsed)) == (2, 2, 2, 3)
    assert elapsed > 2
    assert 2 < elapsed <= 2.5 <= elapsed < 3
    assert sum([elapsed, elapsed]) == 5.0
    assert f"{elapsed:.3f} {elapsed}" == "2.500 2.5"
    assert {elapsed: 1}[2.5] == 1
    assert bool(elapsed)
    assert pickle.loads(pickle.dumps(elapsed)) == 2.5
    assert type(pickle.loads(pickle.dumps(elapsed))) is float
    assert elapsed != "2.5"


def test_events_are_reused_while_the_device_keeps_up(cuda: FakeCuda) -> None:
    timer = lt.Timer(device="cuda")
    for _ in range(1_000):
        segment(timer, cuda, 1_000)
        cuda.device_ns = cuda.stream.until_ns
    assert cuda.made < 10
    assert not [call for call in cuda.calls if "synchronize" in call]
    assert len(timer.history("a")) == 1_000


def test_nothing_is_lost_when_the_device_is_far_behind(cuda: FakeCuda) -> None:
    timer = lt.Timer(device="cuda")
    for _ in range(500):
        segment(timer, cuda, MILLISECOND)
    assert "event.synchronize" not in cuda.calls
    assert timer.history("a") == [pytest.approx(0.001)] * 500


def test_the_report_has_device_time(cuda: FakeCuda) -> None:
    timer = lt.Timer("model", device="cuda")
    for _ in range(3):
        segment(timer, cuda, 4 * MILLISECOND, "device forward")
    report = timer.summary()
    row = report["device forward"]
    assert row.device_ns == 12 * MILLISECOND
    assert row.total_ns == row.device_ns
    assert row.why("device_ns") is None
    assert "device time between events" in str(report)
    assert json.loads(report.to_json())["rows"][0]["device_ns"] == 12 * MILLISECOND


@pytest.mark.parametrize("before", [0, 900])
def test_nested_peaks_are_exact_and_the_programs_own_stays_right(
    cuda: FakeCuda, before: int
) -> None:
    cuda.allocate(before)
    cuda.free(before)
    timer = lt.Timer(device="cuda", memory=True)
    timer.start("outer")
    cuda.allocate(400)
    cuda.free(300)
    timer.start("inner")
    cuda.allocate(50)
    cuda.free(50)
    timer.stop("inner")
    cuda.allocate(20)
    timer.stop("outer")
    report = timer.summary()
    outer, inner = report["outer"], report["inner"]
    assert (outer.device_memory_net_max_bytes, outer.device_memory_peak_max_bytes) == (120, 400)
    assert (inner.device_memory_net_max_bytes, inner.device_memory_peak_max_bytes) == (0, 50)
    assert cuda.max_memory_allocated() == max(before, 400)
    cuda.reset_peak_memory_stats()
    assert cuda.max_memory_allocated() == 120


def test_overlapping_segments_keep_their_own_peaks(cuda: FakeCuda) -> None:
    timer = lt.Timer(device="cuda", memory=True)
    timer.start("a")
    cuda.allocate(10)
    timer.start("b")
    timer.stop("a")
    cuda.allocate(100)
    cuda.free(110)
    timer.stop("b")
    report = timer.summary()
    assert report["a"].device_memory_peak_max_bytes == 10
    assert report["b"].device_memory_peak_max_bytes == 100
    assert report["b"].device_memory_net_max_bytes == -10


def test_a_device_not_yet_in_use_is_not_made_so(cuda: FakeCuda) -> None:
    cuda.initialized = False
    timer = lt.Timer(device="cuda")
    elapsed = segment(timer, cuda, MILLISECOND)
    assert type(elapsed) is float
    assert cuda.made == 0
    row = timer.summary()["a"]
    assert row.device_ns is None
    assert row.why("device_ns") == "the program has not used the device yet"
    cuda.initialized = True
    assert float(segment(timer, cuda, MILLISECOND)) == pytest.approx(0.001)
    assert "theirs is host time" in timer.summary().to_markdown()


def test_a_capture_of_a_graph_survives(cuda: FakeCuda) -> None:
    timer = lt.Timer(device="cuda")
    segment(timer, cuda, MILLISECOND)
    cuda.capturing = True
    assert type(segment(timer, cuda, MILLISECOND)) is float
    cuda.capturing = False
    assert len(timer.history("a")) == 2


@pytest.mark.parametrize("of", ["cuda", "cuda:0", 0, types.SimpleNamespace(type="cuda", index=0)])
def test_a_device_is_named_as_pytorch_names_it(cuda: FakeCuda, of: Any) -> None:
    assert float(segment(lt.Timer(device=of), cuda, MILLISECOND)) == pytest.approx(0.001)


def test_an_hour_after_the_first_event_times_are_still_exact(
    cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch
) -> None:
    from laptime.device import events

    monkeypatch.setattr(events, "ANCHORED_NS", 0)
    timer = lt.Timer(device="cuda")
    segment(timer, cuda, 1_000)
    cuda.stream.launch(3_600 * 1_000 * MILLISECOND)
    assert float(segment(timer, cuda, 10_000)) == pytest.approx(1e-5)


def test_a_failing_driver_does_not_reach_the_program(
    cuda: FakeCuda, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> bool:
        raise RuntimeError("driver gone")

    timer = lt.Timer(device="cuda")
    monkeypatch.setattr(cuda, "is_current_stream_capturing", broken)
    assert type(segment(timer, cuda, MILLISECOND)) is float
    assert type(segment(timer, cuda, MILLISECOND)) is float
    assert caplog.text.count("could not be timed") == 1


def test_a_segment_that_is_given_up_takes_its_peak_along(cuda: FakeCuda) -> None:
    from laptime.device.memory import Allocator, Peaks

    timer = lt.Timer(device="cuda", memory=True)
    timer.start("never stopped")
    (allocator,) = (one for one in Allocator._known.values() if one.module is cuda)
    assert len(allocator._open) == 1
    timer.clear()
    assert len(allocator._open) == 0
    assert Peaks.of(device.Probe("cuda")).is_there


def test_another_accelerator_is_timed_by_the_names_they_share(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cuda = FakeCuda()
    torch: Any = types.ModuleType("torch")
    torch.xpu = cuda
    torch.accelerator = types.SimpleNamespace(
        current_accelerator=lambda: types.SimpleNamespace(type="xpu"),
        current_stream=cuda.current_stream,
    )

    def event(kind: str, *, enable_timing: bool) -> Any:
        assert kind == "xpu"
        return cuda.Event(enable_timing=enable_timing)

    torch.Event = event
    monkeypatch.setitem(sys.modules, "torch", torch)
    for of in ("xpu", 0):
        elapsed = segment(lt.Timer(device=of, memory=True), cuda, MILLISECOND)
        assert float(elapsed) == pytest.approx(0.001)


def test_without_pytorch_the_reason_is_that(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    timer = lt.Timer(device="cuda")
    timer.start("a")
    assert type(timer.stop("a")) is float
    assert timer.summary()["a"].why("device_ns") == "the program has not imported PyTorch"
    # Imported later, it is found.
    cuda = FakeCuda()
    monkeypatch.setitem(sys.modules, "torch", fake_torch(cuda))
    assert float(segment(timer, cuda, MILLISECOND)) == pytest.approx(0.001)


def test_without_a_driver_the_reason_is_that(
    monkeypatch: pytest.MonkeyPatch, cuda: FakeCuda
) -> None:
    import ctypes

    def absent(name: str) -> None:
        raise OSError(f"{name}: not found")

    monkeypatch.setattr(cuda, "is_available", lambda: False)
    monkeypatch.setattr(cuda, "initialized", False)
    monkeypatch.setattr(ctypes, "CDLL", absent)
    assert device.gauge("cuda") == (None, "no NVIDIA driver")
    monkeypatch.setattr(ctypes, "CDLL", lambda name: name)
    assert device.gauge("cuda") == (None, "no NVIDIA device")
    timer = lt.Timer(device="cuda")
    timer.start("a")
    timer.stop("a")
    row = timer.summary()["a"]
    assert row.device_ns is None
    assert row.why("device_ns") == "no NVIDIA device"


def test_a_cpu_build_and_an_unknown_device_say_so(
    monkeypatch: pytest.MonkeyPatch, cuda: FakeCuda, caplog: pytest.LogCaptureFixture
) -> None:
    torch = sys.modules["torch"]
    device._said.clear()
    assert device.gauge("lunar") == (None, "PyTorch knows no device 'lunar'")
    lt.Timer(device="lunar:1")
    assert caplog.messages == [
        "PyTorch knows no device 'lunar': timers with device='lunar' tell the host's time alone"
    ]
    assert device.gauge("hip")[1] == "PyTorch knows no device 'hip': it calls AMD devices 'cuda'"
    assert device.gauge("cpu") == (None, "the device is the CPU")
    monkeypatch.setattr(cuda, "is_available", lambda: False)
    monkeypatch.setattr(cuda, "initialized", False)
    monkeypatch.setattr(torch, "version", types.SimpleNamespace(cuda=None, hip=None), raising=False)
    assert device.gauge("cuda") == (None, "this PyTorch is built without CUDA")


def test_a_device_of_a_number_that_pytorch_does_not_see_says_so(
    monkeypatch: pytest.MonkeyPatch, cuda: FakeCuda
) -> None:
    monkeypatch.setattr(cuda, "device_count", lambda: 2, raising=False)
    assert device.gauge("cuda:1")[1] is None
    reason = "there is no device cuda:2: PyTorch sees 2"
    assert device.gauge("cuda:2") == device.gauge([0, 2]) == (None, reason)
    timer = lt.Timer(device="cuda:2", memory=True)
    timer.start("a")
    timer.stop("a")
    assert timer.summary()["a"].why("device_ns") == reason

    def fails() -> int:
        raise RuntimeError("not now")

    monkeypatch.setattr(cuda, "device_count", fails, raising=False)
    assert device.gauge("cuda:2")[1] is None, "what isn't known stands in nobody's way"


def test_a_device_that_is_not_there_is_said_once(
    monkeypatch: pytest.MonkeyPatch, cuda: FakeCuda, caplog: pytest.LogCaptureFixture
) -> None:
    device._said.clear()
    monkeypatch.setattr(cuda, "device_count", lambda: 2, raising=False)
    for wanted in ("cuda:99", "cuda:99", 99, "cuda:1"):
        lt.Timer(device=wanted)
    why = "there is no device cuda:99: PyTorch sees 2"
    alone = "tell the host's time alone"
    assert caplog.messages == [
        f"{why}: timers with device='cuda:99' {alone}",
        f"{why}: timers with device=99 {alone}",
    ]
    caplog.clear()
    mps = types.SimpleNamespace(is_available=lambda: False)
    monkeypatch.setattr(sys.modules["torch"], "mps", mps, raising=False)
    lt.Timer(device="mps")
    assert not caplog.messages, "without any of a kind, a program runs on the CPU as it may"
    with pytest.raises(ValueError, match=r"^-5 is no device: devices count from 0, and -1 is"):
        lt.Timer(device=-5)


def test_wrong_combinations_are_refused(cuda: FakeCuda) -> None:
    with pytest.raises(ValueError, match="clock of its own"):
        lt.Timer(device="cuda", clock="process")
    with pytest.raises(ValueError, match="needs device"):
        lt.Timer(memory=True)
    with pytest.raises(ValueError, match="one kind"):
        lt.Timer(device=["cuda", "cpu"])
