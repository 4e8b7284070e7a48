"""Of a profiler's result nothing outlives its reading, and a fork while it is on hurts nobody."""

from __future__ import annotations

import gc
import json
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from profiled_events import kernel
from profiled_trainings import TRAIN, Ran, counts, laps, laptime, summary_of

import laptime as lt

torch = pytest.importorskip("torch")

FORK = """
import faulthandler, os, sys
# A child has no threads of OpenMP's, and waits for ever for those that its parent had.
torch.set_num_threads(1)
def forks():
    child = os.fork()
    if child == 0:
        faulthandler.dump_traceback_later(60, exit=True)
        is_on = torch.autograd.profiler._is_profiler_enabled
        model(torch.ones(2, 16)).sum().backward()
        sys.stdout.write("" if is_on else "child, ")
        {ends}
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 3
"""


@pytest.fixture
def alive(monkeypatch: pytest.MonkeyPatch) -> Iterator[weakref.WeakSet[Any]]:
    """Results and events that somebody holds, of a profiler that also sees a kernel of a device."""
    held: weakref.WeakSet[Any] = weakref.WeakSet()

    class Held:
        def __init__(self, inner: Any) -> None:
            self._inner = inner
            held.add(self)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._inner, name)

    class Result(Held):
        def events(self) -> list[Held]:
            events = list(self._inner.events())
            on_device = torch._C._autograd.DeviceType.CUDA
            product = next(one for one in events if one.name() == "aten::mm")
            launched: dict[str, Any] = {
                "device_type": on_device,
                "linked_correlation_id": product.correlation_id(),
            }
            at = product.start_ns() + 1_000
            events.append(kernel("gemm", at, 5_000, **launched))
            events.append(kernel("Event Sync", at, 9_000, device_resource_id=-1, **launched))
            return [Held(event) for event in events]

    class Profile(torch.autograd.profiler.profile):
        def __exit__(self, *error: Any) -> Any:
            left = super().__exit__(*error)
            self.kineto_results = Result(self.kineto_results)
            return left

    monkeypatch.setattr(torch.autograd.profiler, "profile", Profile)
    gc.collect()
    gc.disable()
    yield held
    gc.enable()


def train(path: Path) -> dict[str, Any]:
    """The summary of three steps of a small model, of which the second is profiled."""
    model = torch.nn.Linear(8, 8, bias=False)
    with lt.record(path, kernels="1:2"):
        for _ in range(3):
            with lt.lap("step"):
                model(torch.ones(4, 8)).sum().backward()
    summary: dict[str, Any] = json.loads(lt.open(path).report().to_json())
    return summary


def test_when_steps_were_read_nobody_holds_what_the_profiler_saw(
    tmp_path: Path, alive: weakref.WeakSet[Any]
) -> None:
    found = laps(train(tmp_path / "a.lap"))
    kernels = [one for lap in found.values() for one in lap.get("kernels", [])]
    assert [(one["name"], one["total_ns"]) for one in kernels] == [("gemm", 5_000)]
    assert not alive


def test_nor_does_an_error_of_reading_them(
    tmp_path: Path, alive: weakref.WeakSet[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    from laptime.integrations import _patches, _profiler_events

    kept: list[BaseException] = []
    monkeypatch.setattr(_patches, "say", lambda _, error: kept.append(error))

    # No Python function: a frame of it would hold what it is given.
    monkeypatch.setattr(_profiler_events, "_on_device", iter)
    summary = train(tmp_path / "a.lap")
    told = [one["message"] for one in summary["warnings"] if one["code"] == "kernels.refused"]
    assert len(told) == 1
    assert told[0].startswith("profiling failed: TypeError: iter expected")
    assert kept
    assert not alive


def test_the_time_of_profiling_is_in_a_lap_of_its_own_between_the_steps(
    tmp_path: Path, run: Ran
) -> None:
    summary = train(tmp_path / "by-hand.lap")
    assert counts(summary)["profiler"] == 2
    assert [path for path in counts(summary) if path.endswith("profiler")] == ["profiler"]
    found = counts(run("3:5"))
    assert (found["profiler"], found["step"], found["profiled step"]) == (2, 6, 2)
    assert [path for path in found if path.endswith("profiler")] == ["profiler"]


def test_a_profiler_that_sees_no_kernel_of_a_device_in_use_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from laptime.integrations import _profiler

    monkeypatch.setattr(_profiler, "device_in_use", lambda _: "cuda")
    monkeypatch.setattr(_profiler, "words", lambda *_: {})
    monkeypatch.setattr(_profiler, "sees", lambda *_: True)
    warnings = {one["code"]: one["message"] for one in train(tmp_path / "a.lap")["warnings"]}
    assert "saw no kernel in steps 1:2" in warnings["kernels.none"]
    monkeypatch.setattr(_profiler, "sees", lambda *_: False)
    summary = train(tmp_path / "b.lap")
    warnings = {one["code"]: one["message"] for one in summary["warnings"]}
    assert "sees no kernels of cuda devices" in warnings["kernels.no-device"]
    assert "kernels.none" not in warnings
    assert summary["operators"]["call_count"] > 0


MEANWHILE, AFTERWARDS = 4, 7
EXIT, LEAVE = "sys.exit(3)", "sys.stdout.flush(); os._exit(3)"


def assert_that_only_the_parent_was_profiled(summary: dict[str, Any]) -> None:
    forward = {one["name"]: one for one in laps(summary)["profiled step/forward"]["operators"]}
    assert forward["aten::linear"]["call_count"] == 3 * 2, "the child's are no part of it"


@pytest.mark.parametrize("when", [MEANWHILE, AFTERWARDS], ids=["meanwhile", "afterwards"])
@pytest.mark.parametrize("ends", [LEAVE, EXIT])
def test_a_child_that_is_forked_once_steps_are_profiled_ends_as_it_would(
    recorded: Ran, ends: str, when: int
) -> None:
    program = TRAIN.format(before=FORK.format(ends=ends), inside=f"if number == {when}: forks()")
    assert_that_only_the_parent_was_profiled(recorded(program, "3:6", "child, done 7"))


@pytest.mark.parametrize(("ends", "when"), [(EXIT, MEANWHILE), (LEAVE, AFTERWARDS)])
def test_the_launcher_tells_of_such_a_child_what_it_left(
    tmp_path: Path, ends: str, when: int
) -> None:
    (tmp_path / "train.py").write_text(
        TRAIN.format(before=FORK.format(ends=ends), inside=f"if number == {when}: forks()")
    )
    ran = laptime("run", "--memory", "--kernels", "3:6", "-o", "a.lap", "train.py", cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == "child, done 7"
    assert "terminate" not in ran.stderr
    # Memory is told of processes that closed what they recorded: `os._exit` closes nothing.
    assert ("without closing its recording" in ran.stderr) == (ends == LEAVE)
    assert_that_only_the_parent_was_profiled(summary_of(tmp_path / "a.lap"))


def test_workers_of_a_loader_that_are_forked_while_steps_are_profiled_end_well(run: Ran) -> None:
    inside = (
        "more = DataLoader(TensorDataset(torch.randn(8, 16)), num_workers=2)\n"
        "    assert number != 4 or len(list(more)) == 8"
    )
    found = laps(run("3:6", "", inside))
    assert found["profiled step/forward"]["call_count"] > 0


READS_A_LINE = """
import ctypes, os, sys, threading
from laptime import _core

libc = ctypes.CDLL(None)
libc.fgets.argtypes = [ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p]
if os.fork() == 0:
    _core.end_early()
    line = ctypes.create_string_buffer(64)
    stdin = ctypes.c_void_p.in_dll(libc, "stdin")
    libc.fgets(line, 64, stdin)
    if {blocks}:
        held, _ = os.pipe()
        libc.fdopen.restype = ctypes.c_void_p
        pipe = libc.fdopen(held, b"r")
        reads = lambda: libc.fgets(ctypes.create_string_buffer(64), 64, pipe)
        threading.Thread(target=reads, daemon=True).start()
    sys.exit(7)
code = os.waitstatus_to_exitcode(os.wait()[1])
print(code, os.read(0, 100).decode().split())
"""


@pytest.mark.parametrize("blocks", [False, True])
def test_a_child_that_ends_early_leaves_what_it_read_ahead_and_waits_for_no_reader(
    tmp_path: Path, blocks: bool
) -> None:
    (tmp_path / "lines").write_text("one\ntwo\nthree\n")
    with (tmp_path / "lines").open() as lines:
        done = subprocess.run(
            [sys.executable, "-c", READS_A_LINE.format(blocks=blocks)],
            stdin=lines,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.stdout == "7 ['two', 'three']\n", done.stderr
