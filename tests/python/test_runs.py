"""Runs that nobody gave a name: where they are recorded, and what they offer next."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import laptime as lt

LAPTIME = [sys.executable, "-m", "laptime"]
LAPS = """
import sys
import laptime as lt
with lt.lap("work"):
    print(sys.argv, sys.executable)
"""


def laptime(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LAPTIME")}
    return subprocess.run(
        [*LAPTIME, *words], cwd=folder, env=environment, capture_output=True, text=True, timeout=300
    )


def test_code_is_recorded_as_a_script_is(tmp_path: Path) -> None:
    ran = laptime(tmp_path, "run", "-c", LAPS, "--epochs", "3")
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout == f"{['-c', '--epochs', '3']} {sys.executable}\n"
    report = lt.open(tmp_path / ".laptime/runs/command-1.lap").report()
    assert report["work"].count == 1
    assert laptime(tmp_path, "report", "command-1").stdout.startswith("python -c ")


def test_the_last_run_is_reported_without_its_name(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(LAPS)
    for _ in range(2):
        ran = laptime(tmp_path, "run", "train.py")
        assert ran.returncode == 0, ran.stderr
    assert "\nrecording: .laptime/runs/train-2.lap\nnext: laptime report" in ran.stderr
    report = laptime(tmp_path, "report", "--json")
    assert report.stderr == "recording: .laptime/runs/train-2.lap, the last one here\n"
    assert "work" in [row["path"] for row in json.loads(report.stdout)["rows"]]
    listed = json.loads(laptime(tmp_path, "list", "--json").stdout)
    assert [(one["program"], one["exit_code"]) for one in listed] == [("train.py", 0)] * 2


def test_a_script_that_failed_is_offered_a_page_if_something_was_measured(tmp_path: Path) -> None:
    (tmp_path / "at_once.py").write_text("import no_such_module\n")
    (tmp_path / "later.py").write_text(LAPS + "raise KeyError\n")
    at_once, later = (laptime(tmp_path, "run", name) for name in ("at_once.py", "later.py"))
    assert (at_once.returncode, later.returncode) == (1, 1)
    assert "next: " not in at_once.stderr
    assert at_once.stderr.endswith("\nrecording: .laptime/runs/at_once-1.lap\n")
    assert "\nnext: laptime report " in later.stderr
