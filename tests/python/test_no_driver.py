"""PyTorch built for CUDA on a machine without a driver: all runs, and every report says why."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from warm import Warm

import laptime as lt
from laptime._driver import is_installed

torch = pytest.importorskip("torch")

if torch.version.cuda is None:
    pytest.skip("PyTorch is built without CUDA", allow_module_level=True)
if is_installed():
    pytest.skip("NVIDIA's driver is installed", allow_module_level=True)

REASON = "no NVIDIA driver"
DEVICE = ("device_ns", "device_count", "launch_bound_count")
MEMORY = ("device_memory_net_max_bytes", "device_memory_peak_max_bytes")

TRAIN = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1))
model.to("cuda" if torch.cuda.is_available() else "cpu")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
torch.cuda.reset_peak_memory_stats() if torch.cuda.is_available() else None
for _ in range(15):
    loss = model(torch.ones(2, 4)).sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print("allocated", torch.cuda.memory_allocated(), torch.cuda.max_memory_allocated())
print("initialized", torch.cuda.is_initialized())
print("driver", "libcuda.so" in open("/proc/self/maps").read())
"""
PRINTED = "allocated 0 0\ninitialized False\ndriver False\n"


def laptime(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs the command, which ends well."""
    command = [sys.executable, "-m", "laptime", *words]
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where a training was recorded with all that can be asked for."""
    folder = tmp_path_factory.mktemp("no-driver")
    (folder / "train.py").write_text(TRAIN)
    options = ["--memory", "--modules", "--ops", "--kernels", "3:5", "--nvtx"]
    done = laptime("run", *options, "-o", "train.lap", "train.py", cwd=folder)
    assert done.stdout == PRINTED, "it sees what it sees without Laptime"
    assert "Traceback" not in done.stderr
    return folder


def test_the_program_sees_the_same_without_laptime(folder: Path) -> None:
    alone = subprocess.run(
        [sys.executable, "train.py"], cwd=folder, capture_output=True, text=True, check=True
    )
    assert alone.stdout == PRINTED


def test_every_row_says_that_there_is_no_driver(folder: Path) -> None:
    report = lt.open(folder / "train.lap").report()
    # One step of the 15 was counted under a name of its own, and two were profiled.
    assert report["step/forward"].count == 12
    for path in ("step", "step/forward", "step/backward/Sequential", "step/optimizer"):
        row = report[path]
        for name in DEVICE:
            assert getattr(row, name) is None
            assert row.why(name) == REASON
        for name in MEMORY:
            assert getattr(row, name) is None
            assert row.why(name) == f"memory of devices was not read: {REASON}"
        assert row.host_memory_peak_max_bytes is not None


def test_the_table_has_dashes_with_the_reason_and_no_zeros(folder: Path) -> None:
    columns = ["--columns", "count,device,device-peak"]
    lines = laptime("report", "train.lap", *columns, cwd=folder).stdout.splitlines()
    # A line of the headline may begin with a word like a row's.
    table = lines[next(at for at, line in enumerate(lines) if line.startswith("span ")) :]
    table = table[: table.index("")]
    rows = [line for line in table if line.startswith(("step ", "├─", "└─"))]
    assert rows
    for row in rows:
        device, memory = row.split()[-2:]
        assert device.startswith("\N{EN DASH}"), row
        assert memory.startswith("\N{EN DASH}"), row
    reasons = [line for line in lines if line.startswith("\N{EN DASH}")]
    assert any(line.endswith(f" {REASON}") for line in reasons), reasons
    assert any("memory of devices was not read" in line for line in reasons), reasons


@pytest.mark.parametrize("how", ["record", "environment"])
def test_laps_of_ones_own_say_it_too(tmp_path: Path, how: str, warm: Warm) -> None:
    records = "import laptime as lt, torch, sys\n"
    if how == "record":
        records += "lt.record(sys.argv[1])\n"
    program = f"{records}with lt.lap('work'): torch.ones(2).sum()\n"
    path = tmp_path / "run.lap"
    unset = {name: "" for name in os.environ if name.startswith("LAPTIME")}
    asked = {"LAPTIME": str(path)} if how == "environment" else {}
    python = warm.python if how == "record" else sys.executable
    subprocess.run(
        [python, "-c", program, str(path)], check=True, env={**os.environ, **unset, **asked}
    )
    assert lt.open(path).report()["work"].why("device_ns") == REASON


def test_who_asks_for_no_device_hears_of_none(folder: Path) -> None:
    shown = laptime("report", "train.lap", cwd=folder).stdout
    told: dict[str, Any] = json.loads(laptime("report", "train.lap", "--json", cwd=folder).stdout)
    assert REASON not in shown
    assert "devices" not in told
    assert not [one for one in told["warnings"] if "device" in one["code"]]
    assert told["unavailable"]["device_ns"] == REASON


def test_doctor_says_it_too(folder: Path) -> None:
    said = laptime("doctor", cwd=folder).stdout
    assert re.search(rf"^NVIDIA driver +\N{{EN DASH}} +{REASON}: ", said, re.MULTILINE)
    told = json.loads(laptime("doctor", "--json", cwd=folder).stdout)
    assert REASON in json.dumps(told["devices"])


ASKED = """
import logging, sys
import torch
import laptime as lt
from laptime.timing import get_gpu_memory_usage, quiet, track_time_and_gpu
from laptime.torchtimer import ProfilingTimer

timer = lt.Timer("asked", device="cuda", memory=True)
timer.start("a")
assert type(timer.stop("a")) is float
row = timer.summary()["a"]
assert row.device_ns is row.device_memory_peak_max_bytes is None
print(row.why("device_ns"))
drop_in = ProfilingTimer(device="cuda")
drop_in.start()
assert type(drop_in.stop()) is float
quiet(True)
told = {}
assert track_time_and_gpu(told, "model", lambda: 3) == 3
assert told["model"]["max_allocated_mb"] is None
lt.capture("step")
with lt.record(sys.argv[1], memory=True, device_memory="fold", phases=True):
    with lt.lap("step"):
        torch.nn.Linear(2, 2)(torch.ones(1, 2)).sum().backward()
print(lt.open(sys.argv[1]).report()["step"].why("device_ns"))
assert not torch.cuda.is_initialized()
"""


def test_what_a_program_asks_for_is_none_with_the_reason(tmp_path: Path, warm: Warm) -> None:
    command = [warm.python, "-c", ASKED, str(tmp_path / "asked.lap")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [REASON, REASON]
    assert "Traceback" not in done.stderr


WITHIN = """
import torch
import laptime as lt

with lt.record("inner.lap", phases=True):
    with lt.lap("work"):
        torch.nn.Linear(2, 2)(torch.ones(1, 2)).sum().backward()
print(lt.open("inner.lap").report()["work"].why("device_ns"))
print(lt.report()["work"].why("device_ns"))
"""


def test_a_recording_within_a_recording_says_it_while_the_program_runs(tmp_path: Path) -> None:
    (tmp_path / "within.py").write_text(WITHIN)
    done = laptime("run", "-o", "outer.lap", "within.py", cwd=tmp_path)
    assert done.stdout.splitlines() == [REASON, REASON]


ONE_BY_ONE = """
import torch
import laptime as lt

def recorded(path, **asked):
    with lt.record(path, **asked), lt.lap("work"):
        pass
    print(lt.open(path).report()["work"].why("device_memory_peak_max_bytes"))

with lt.lap("live"):
    pass
print(lt.report()["live"].why("device_ns"))
recorded("first.lap", memory=True)
recorded("second.lap")
recorded("third.lap", memory=True)
print(lt.report()["live"].why("device_ns"))
"""


def test_each_recording_has_reasons_of_its_own_and_a_live_report_has_them(
    tmp_path: Path, warm: Warm
) -> None:
    done = subprocess.run(
        [warm.python, "-c", ONE_BY_ONE], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    unread = f"memory of devices was not read: {REASON}"
    told = [REASON, unread, "memory was not recorded", unread, REASON]
    assert done.stdout.splitlines() == told
