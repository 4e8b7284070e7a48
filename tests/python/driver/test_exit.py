"""The last step of an unedited training, whose driver shuts down as the program exits."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import laptime as lt

HERE = Path(__file__).parent
PATHS = ("step", "step/forward", "step/backward", "step/optimizer")


def recorded(folder: Path, driver: Path, how: str, code: int = 0) -> lt.Report:
    """The report of the training that exits so."""
    pytest.importorskip("torch")
    path = folder / "exits.lap"
    run = [sys.executable, "-m", "laptime", "run", "-o", str(path)]
    done = subprocess.run(
        [*run, str(HERE / "exits.py"), how],
        env={**os.environ, "LD_LIBRARY_PATH": str(driver)},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == code, done.stderr
    return lt.open(str(path)).report()


@pytest.mark.parametrize(("how", "code"), [("ends", 0), ("exits", 3), ("raises", 1), ("busy", 0)])
def test_every_step_is_timed_however_the_program_exits(
    tmp_path: Path, fake_driver: Path, how: str, code: int
) -> None:
    report = recorded(tmp_path, fake_driver, how, code)
    for path in PATHS:
        row = report[path]
        assert row.count == (41 if how == "busy" else 40), path
        assert row.device_count == row.count, path
    assert "not timed on the device" not in report.to_json()
    assert "shut down" not in report.to_json()


def test_a_device_that_does_not_end_its_work_is_told_as_running(
    tmp_path: Path, fake_driver: Path
) -> None:
    report = recorded(tmp_path, fake_driver, "stuck")
    assert report["step/forward"].device_count == 40
    told = report.to_json()
    assert "1 of 41 spans of step/forward (the device had not finished" in told
    assert "shut down" not in told
