"""The demo: an ordinary training script under `laptime run`, and numbers that add up."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

# One run of the demo, for all tests.
pytestmark = pytest.mark.xdist_group("digits")
ROOT = Path(__file__).parents[2]
EPOCHS = 6
# 1,437 images of training data in batches of 64, 360 of test data in batches of 256.
STEPS = 23 * EPOCHS
EVALUATIONS = 2 * EPOCHS


@pytest.fixture(scope="module")
def summary(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    recording = tmp_path_factory.mktemp("demo") / "digits.lap"
    laptime = [sys.executable, "-m", "laptime"]
    script = str(ROOT / "examples/digits/train.py")
    done = subprocess.run(
        [*laptime, "run", "-o", str(recording), "--", script, "--epochs", str(EPOCHS)],
        # One thread: two that wait for each other suffer most from whatever else runs.
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("test accuracy") == EPOCHS
    assert "forward" in done.stderr
    report = subprocess.run(
        [*laptime, "report", str(recording), "-f", "json"],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(report.stdout)


def row(summary: dict[str, Any], *names: str) -> dict[str, Any]:
    (found,) = [row for row in summary["rows"] if row["names"] == list(names)]
    return found


def test_every_phase_is_counted_once_a_step(summary: dict[str, Any]) -> None:
    assert row(summary, "step")["count"] == STEPS
    for phase in ("data", "forward", "backward", "optimizer"):
        assert row(summary, "step", phase)["count"] >= STEPS, phase
    assert row(summary, "step", "forward")["count"] == STEPS
    assert row(summary, "step", "backward")["count"] == STEPS
    assert row(summary, "evaluation", "forward")["count"] == EVALUATIONS


def test_self_times_add_up_to_the_wall_time(summary: dict[str, Any]) -> None:
    parts = sum(row["self_ns"] for row in summary["rows"])
    assert abs(parts - summary["wall_ns"]) < 0.005 * summary["wall_ns"]


def test_little_of_a_step_is_unexplained(summary: dict[str, Any]) -> None:
    # On a busy machine steps may never settle: then it holds for all of them.
    part = summary.get("steady", summary)
    (step,) = [row for row in part["rows"] if row["names"] == ["step"]]
    assert step["self_ns"] < 0.03 * step["total_ns"]


def test_epochs_are_marks_and_no_part_of_a_path(summary: dict[str, Any]) -> None:
    assert not any("epoch" in row["names"] for row in summary["rows"])
    assert [(mark["name"], mark["count"]) for mark in summary["marks"]] == [("epoch", EPOCHS)]


def test_the_run_gives_no_reason_for_doubt(summary: dict[str, Any]) -> None:
    assert summary["warnings"] == []
