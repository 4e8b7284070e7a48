"""Steps that the program's own laps, or profiling, would cut into pieces."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import laptime as lt

BEGIN = """
import laptime as lt, torch
from torch.utils.data import DataLoader, TensorDataset
from torch.profiler import record_function
torch.manual_seed(0)
model = torch.nn.Linear(16, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(8, 16)
"""
OWN = """
for _ in range(12):
    with RANGE("fw"):
        loss = model(x).sum()
    with RANGE("bw"):
        loss.backward()
    with RANGE("upd"):
        optimizer.step()
        optimizer.zero_grad()
"""
INFERENCE = """
criterion = torch.nn.CrossEntropyLoss()
y = torch.randint(0, 4, (8,))
for _ in range(12):
    with record_function("model_inference"):
        out = model(x)
    loss = criterion(out, y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
PHASES = """
criterion = torch.nn.CrossEntropyLoss()
y = torch.randint(0, 4, (8,))
for _ in range(12):
    with RANGE("forward"):
        with RANGE("model"):
            out = model(x)
        loss = criterion(out, y)
    with RANGE("backward"):
        optimizer.zero_grad()
        loss.backward()
    with RANGE("optimizer"):
        optimizer.step()
"""
TRIED = """
with lt.lap("try"):
    loss = model(x).sum()
loss.backward()
for _ in range(12):
    model(x).sum().backward()
    optimizer.step()
"""
WHOLE = """
for _ in range(12):
    with lt.lap("step"):
        with RANGE("fw"):
            loss = model(x).sum()
        with RANGE("bw"):
            loss.backward()
        with RANGE("upd"):
            optimizer.step()
"""
PASSES = """
loader = DataLoader(TensorDataset(torch.randn(64, 16)), batch_size=8)
for _ in range(3):
    for (x,) in lt.track(loader, "step"):
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
"""
PROFILED = """
def items():
    for _ in range(8):
        yield torch.randn(8, 16)

for x in lt.track(items(), "step"):
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()
"""


def summary(folder: Path, script: str, *options: str) -> dict[str, Any]:
    """What is told of a run of the script."""
    (folder / "train.py").write_text(BEGIN + script)
    begin = [sys.executable, "-m", "laptime"]
    run = [*begin, "run", "-o", "a.lap", *options, "train.py"]
    subprocess.run(run, cwd=folder, check=True, capture_output=True)
    report = [*begin, "report", "--json", "a.lap"]
    told = subprocess.run(report, cwd=folder, check=True, capture_output=True)
    result: dict[str, Any] = json.loads(told.stdout)
    return result


def counts(told: dict[str, Any]) -> dict[str, int]:
    return {row["path"]: row["count"] for row in told["rows"]}


@pytest.mark.parametrize("name", ["lt.lap", "record_function", "torch.cuda.nvtx.range"])
def test_laps_that_hold_parts_of_a_step_are_told_and_no_step_is(tmp_path: Path, name: str) -> None:
    told = summary(tmp_path, OWN.replace("RANGE", name))
    assert [one["code"] for one in told["warnings"]].count("phases.torn") == 1
    said = lt.open(tmp_path / "a.lap").report().headline
    assert said.endswith("Its steps are told in pieces: see the warning below."), said
    told = summary(tmp_path, WHOLE.replace("RANGE", name), "--force")
    assert "phases.torn" not in [one["code"] for one in told["warnings"]]
    assert counts(told)["step"] == 12


def test_a_lap_around_the_model_alone_is_told_where_a_loss_follows_it(tmp_path: Path) -> None:
    told = summary(tmp_path, INFERENCE)
    [said] = [one["message"] for one in told["warnings"] if one["code"] == "phases.torn"]
    assert "lap model_inference holds only a part of a step" in said
    assert "A step takes" not in lt.open(tmp_path / "a.lap").report().headline


@pytest.mark.parametrize("name", ["lt.lap", "record_function"])
def test_laps_around_all_phases_are_the_whole_table(tmp_path: Path, name: str) -> None:
    told = summary(tmp_path, PHASES.replace("RANGE", name))
    found = {path: count for path, count in counts(told).items() if count}
    assert found == {"forward": 12, "forward/model": 12, "backward": 12, "optimizer": 12}
    assert "phases.torn" not in [one["code"] for one in told["warnings"]]


def test_one_step_that_is_tried_out_says_nothing_of_the_training(tmp_path: Path) -> None:
    told = summary(tmp_path, TRIED)
    assert "phases.torn" not in [one["code"] for one in told["warnings"]]
    assert "A step takes" in lt.open(tmp_path / "a.lap").report().headline


def test_every_step_of_a_pass_that_is_tracked_is_in_its_epoch(tmp_path: Path) -> None:
    told = summary(tmp_path, PASSES)
    assert [epoch["step_count"] for epoch in told["epochs"]] == [8, 8, 8]


def test_a_profiled_step_takes_the_wait_for_its_item_along(tmp_path: Path) -> None:
    found = counts(summary(tmp_path, PROFILED, "--kernels", "3:5"))
    assert (found["step"], found["profiled step"]) == (6, 2)
    assert (found["step/data"], found["profiled step/data"]) == (6, 2)
