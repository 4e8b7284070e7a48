"""`lt.capture`: CUDA's profiler is switched on around the steps that were asked for."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import laptime as lt

Ran = Callable[..., tuple[list[str], str]]

STEPS = "for number in range(6):\n    with lt.lap('step'):\n        say(f'step {number}')\n"


@pytest.fixture
def ran(tmp_path: Path) -> Ran:
    """Runs code in a process that may have a driver: what that was told, and the standard error."""
    compiler = shutil.which("gcc")
    if compiler is None:
        pytest.skip("a driver is compiled by gcc")
    driver, source = tmp_path / "libcuda.so.1", Path(__file__).with_name("fake_cuda.c")
    flags = ["-shared", "-fPIC", "-Wl,-soname,libcuda.so.1"]
    subprocess.run([compiler, *flags, "-o", str(driver), str(source)], check=True)

    def ran(code: str, *, context: bool = True, loads: bool = True) -> tuple[list[str], str]:
        log = tmp_path / "log"
        log.write_text("")
        begin = "import ctypes, os, laptime as lt\n"
        begin += "say = lambda what: print(what, file=open(os.environ['FAKE_LOG'], 'a'))\n"
        begin += f"ctypes.CDLL({str(driver)!r})\n" if loads else ""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LAPTIME")}
        environment |= {"FAKE_LOG": str(log)} | ({"FAKE_CONTEXT": "1"} if context else {})
        words = [sys.executable, "-c", begin + code]
        done = subprocess.run(words, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return log.read_text().splitlines(), done.stderr

    return ran


def test_the_profiler_looks_at_the_steps_that_were_asked_for(ran: Ran) -> None:
    log, said = ran("lt.capture('step', skip=2, count=3)\n" + STEPS)
    inside = ["start", "step 2", "step 3", "step 4", "stop"]
    assert log == ["step 0", "step 1", *inside, "step 5"]
    assert said == ""


def test_the_first_step_is_captured_where_none_is_skipped(ran: Ran) -> None:
    log, said = ran("lt.capture()\n" + STEPS)
    assert (log[:4], said) == (["start", "step 0", "stop", "step 1"], "")


def test_two_captures_at_a_time_switch_the_profiler_once(ran: Ran) -> None:
    log, _ = ran("lt.capture(skip=1, count=3)\nlt.capture(skip=2, count=3)\n" + STEPS)
    steps = ["step 1", "step 2", "step 3", "step 4"]
    assert log == ["step 0", "start", *steps, "stop", "step 5"]


def test_track_and_other_names_are_captured_too(ran: Ran) -> None:
    log, said = ran(
        "lt.capture('batch', skip=1)\nfor n in lt.track(range(3), 'batch'): say(f'batch {n}')\n"
    )
    assert [what for what in log if what != "batch 0"][:3] == ["start", "batch 1", "stop"]
    assert said == ""


def test_without_a_context_nothing_is_called_and_the_reason_is_said_once(ran: Ran) -> None:
    log, said = ran("lt.capture(skip=2, count=2)\n" + STEPS, context=False)
    assert log == [f"step {number}" for number in range(6)]
    assert said.count("step 3 is not captured: no CUDA context exists yet") == 1
    assert said.count("laptime: warning") == 1


def test_a_context_that_comes_later_is_waited_for(ran: Ran) -> None:
    code = STEPS.replace("say(", "number == 2 and putenv(b'FAKE_CONTEXT', b'1', 1); say(")
    begin = "putenv = ctypes.CDLL(None).setenv\nlt.capture(count=2)\n"
    log, said = ran(begin + code, context=False)
    assert log == ["step 0", "step 1", "step 2", "start", "step 3", "step 4", "stop", "step 5"]
    assert said.count("is not captured") == 1


def test_without_a_driver_the_reason_is_logged_and_nothing_raised(ran: Ran) -> None:
    _, said = ran("lt.capture(skip=1)\n" + STEPS, loads=False)
    assert said.count("step 2 is not captured: no NVIDIA driver is loaded") == 1
    assert said.count("laptime: warning") == 1


def test_a_program_that_ends_too_early_is_told(ran: Ran) -> None:
    log, said = ran("lt.capture(skip=10)\n" + STEPS)
    assert "start" not in log
    assert "ended after 6 laps named 'step', and skip is 10" in said
    log, said = ran("lt.capture(skip=4, count=5)\n" + STEPS)
    assert log[-3:] == ["step 4", "step 5", "stop"]
    assert "2 of 5 laps named 'step' were captured" in said


def test_a_name_that_no_lap_has_is_told_with_those_that_there_are(ran: Ran) -> None:
    log, said = ran("lt.capture('stp')\n" + STEPS)
    assert log[0] == "start"
    assert log[-1] == "stop"
    assert "no lap named 'stp' ended; name= takes the name of others: 'step'" in said


def test_where_no_laps_are_it_is_told_how_steps_are_found(ran: Ran) -> None:
    _, said = ran("lt.capture(skip=10)\n")
    assert (
        "no lap named 'step' ended; the steps of a training are found under `laptime run`" in said
    )


def test_torchs_own_cuda_is_used_where_it_is_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []

    def called(what: str) -> Callable[[], int]:
        return lambda: calls.append(what) or 0

    runtime = SimpleNamespace(cudaProfilerStart=called("start"), cudaProfilerStop=called("stop"))
    cuda = SimpleNamespace(is_initialized=lambda: True, cudart=lambda: runtime)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    lt.capture("captured step", skip=1, count=1)
    for _ in range(3):
        calls.append("step")
        with lt.lap("captured step"):
            pass
    assert calls == ["step", "start", "step", "stop", "step"]


def test_a_cuda_that_raises_is_a_reason_and_no_error_of_the_programs(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def lost() -> object:
        raise RuntimeError("CUDA error: device lost")

    cuda = SimpleNamespace(is_initialized=lambda: True, cudart=lost)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=cuda))
    lt.capture("lost step")
    for _ in range(2):
        with lt.lap("lost step"):
            pass
    assert "step 2 is not captured: RuntimeError: CUDA error: device lost" in caplog.text


def test_a_file_of_the_programs_that_is_called_torch_has_no_cuda_to_ask(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace(cuda=SimpleNamespace()))
    lt.capture("own step")
    for _ in range(2):
        with lt.lap("own step"):
            pass
    assert "AttributeError" not in caplog.text


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"skip": -1}, "skip must be a whole number from 0 on, not -1"),
        ({"count": 0}, "count must be a whole number from 1 on, not 0"),
        ({"count": True}, "count must be a whole number from 1 on, not True"),
    ],
)
def test_wrong_numbers_are_refused_by_their_names(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lt.capture(**wrong)


def test_a_name_is_text() -> None:
    with pytest.raises(TypeError, match="takes the name of a lap, not 10"):
        lt.capture(10)  # type: ignore[arg-type]
