"""What torchtimer gets wrong, each a test of the stand-in."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "device"))

from fake_cuda import FakeCuda, fake_torch

from laptime.torchtimer import ProfilingTimer

MILLISECOND = 1_000_000


@pytest.fixture
def cuda(monkeypatch: pytest.MonkeyPatch) -> FakeCuda:
    fake = FakeCuda()
    monkeypatch.setitem(sys.modules, "torch", fake_torch(fake))
    return fake


def cells(capsys: pytest.CaptureFixture[str], name: str) -> list[str]:
    out = capsys.readouterr().out
    line = next(line for line in out.splitlines() if line.startswith(f"| {name!r} "))
    return [cell.strip() for cell in line.strip("|").split("|")]


def test_a_pair_waits_for_nothing(cuda: FakeCuda) -> None:
    timer = ProfilingTimer()
    timer.start()
    cuda.stream.launch(5 * MILLISECOND)
    elapsed = timer.stop()
    assert not [call for call in cuda.calls if "synchronize" in call]
    assert elapsed is not None
    assert float(elapsed) == pytest.approx(0.005)


def test_a_disabled_context_calls_nothing(cuda: FakeCuda) -> None:
    timer = ProfilingTimer()
    timer.disable_context("off")
    timer.start("a", "off")
    timer.stop("a", "off")
    assert cuda.calls == []


def test_memory_is_read_outside_of_the_interval(
    cuda: FakeCuda, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = cuda.memory_stats_as_nested_dict

    def noted(device: Any = None) -> Any:
        cuda.calls.append("memory")
        return real(device)

    monkeypatch.setattr(cuda, "memory_stats_as_nested_dict", noted)
    timer = ProfilingTimer()
    timer.start("first")
    timer.stop("first")
    cuda.calls.clear()
    timer.start()
    timer.stop()
    calls = [call for call in cuda.calls if call != "query"]
    wanted = ["memory", "reset peak", "record on default", "record on default", "memory"]
    assert calls == wanted


def test_the_inner_start_leaves_the_outer_peak(cuda: FakeCuda) -> None:
    timer = ProfilingTimer()
    timer.start("outer")
    cuda.allocate(1000)
    cuda.free(1000)
    timer.start("inner")
    timer.stop("inner")
    timer.stop("outer")
    assert timer.history("outer", field="peak_memory_allocated") == [1000]
    assert timer.history("inner", field="peak_memory_allocated") == [0]
    assert cuda.max_memory_allocated() == 1000


def test_a_name_entered_again_keeps_both_records() -> None:
    timer = ProfilingTimer(device="cpu")
    timer.start("a")
    timer.start("a")
    timer.stop("a")
    timer.stop("a")
    assert len(timer.history("a")) == 2


def test_nested_segments_count_once_in_the_total_runtime(
    cuda: FakeCuda, capsys: pytest.CaptureFixture[str]
) -> None:
    timer = ProfilingTimer()
    timer.start("outer")
    timer.start("inner")
    cuda.stream.launch(1_000 * MILLISECOND)
    timer.stop("inner")
    timer.stop("outer")
    timer.summarize()
    out = capsys.readouterr().out
    assert "(total runtime 1.0s)" in out
    assert out.count("| 100.0 ") == 2


def test_an_exception_inside_a_segment_leaves_the_summary_whole(
    capsys: pytest.CaptureFixture[str],
) -> None:
    timer = ProfilingTimer(device="cpu")
    with pytest.raises(ZeroDivisionError):
        timer.start("a")
        raise ZeroDivisionError
    timer.summarize()
    assert capsys.readouterr().out == ""
    timer.start("b")
    timer.stop("b")
    timer.summarize()
    assert cells(capsys, "b")[1] == "1"


def test_a_stop_without_a_start_is_none_and_logged(caplog: pytest.LogCaptureFixture) -> None:
    timer = ProfilingTimer(device="cpu")
    assert timer.stop("never") is None
    assert "'never' was stopped but not started" in caplog.text


def test_a_machine_without_a_device_works(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "torch", raising=False)
    timer = ProfilingTimer()
    timer.start()
    assert isinstance(timer.stop(), float)


def test_a_context_of_several_devices_takes_the_longest(cuda: FakeCuda) -> None:
    timer = ProfilingTimer(device=[0, 1])
    timer.start()
    cuda.stream.launch(2 * MILLISECOND)
    elapsed = timer.stop()
    assert elapsed is not None
    assert float(elapsed) == pytest.approx(0.002)


def test_the_timers_own_stream_is_used(cuda: FakeCuda) -> None:
    from fake_cuda import Stream

    side = Stream(cuda, "side")
    timer = ProfilingTimer(stream=side)
    timer.start()
    side.launch(3 * MILLISECOND)
    elapsed = timer.stop()
    assert elapsed is not None
    assert float(elapsed) == pytest.approx(0.003)
    timer.synchronize()
    assert cuda.calls[-1] == "side.synchronize"


def test_synchronize_and_gct_wait_because_they_are_asked_to(cuda: FakeCuda) -> None:
    timer = ProfilingTimer()
    timer.gct()
    assert cuda.calls == ["synchronize"]
