"""An unedited training on a device: the split of its steps is the device's."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from warm import Warm

import laptime as lt

MS = 1_000_000
HERE = Path(__file__).parent


def recorded(folder: Path, driver: Path, **environment: str) -> lt.Recording:
    """The recording of the training under `laptime run`."""
    path = folder / "training.lap"
    run = [sys.executable, "-m", "laptime", "run", "-o", str(path)]
    done = subprocess.run(
        [*run, str(HERE / "training.py")],
        env={**os.environ, "LD_LIBRARY_PATH": str(driver), **environment},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return lt.open(str(path))


RECORDS = """
import runpy, sys
import laptime as lt

with lt.record("training.lap", phases=True, modules="modules" in sys.argv):
    runpy.run_path(sys.argv[1], run_name="__main__")
"""


@pytest.fixture
def records_itself(
    tmp_path: Path, fake_driver: Path, warm_on_device: Warm
) -> Callable[..., lt.Report]:
    """The report of the training, or of another program, that is recorded after torch is there."""

    def records_itself(program: str = "training", *options: str) -> lt.Report:
        done = subprocess.run(
            [warm_on_device.python, "-c", RECORDS, str(HERE / f"{program}.py"), *options],
            env={**os.environ, "LD_LIBRARY_PATH": str(fake_driver)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        return lt.open(tmp_path / "training.lap").report()

    return records_itself


def test_phases_take_what_the_device_took(tmp_path: Path, fake_driver: Path) -> None:
    pytest.importorskip("torch")
    report = recorded(tmp_path, fake_driver).report()
    rows = report.steady
    assert rows is not None
    for path, ms in (
        ("step", 9),
        ("step/forward", 3),
        ("step/backward", 5),
        ("step/optimizer", 1),
    ):
        row = rows[path]
        assert row.device_count == row.count, path
        assert row.device_ns == row.count * ms * MS, path
    forward, backward = rows["step/forward"], rows["step/backward"]
    assert forward.launch_bound_count == forward.count, "the device had nothing to do"
    assert backward.launch_bound_count == 0, "the forward was still running"
    assert "device" in str(report)


def test_the_first_step_is_timed_on_the_device_too(
    records_itself: Callable[..., lt.Report],
) -> None:
    report = records_itself()
    for path in ("step", "step/forward", "step/backward", "step/optimizer"):
        assert report[path].device_count == report[path].count, path


def test_a_program_that_takes_no_step_is_timed_on_the_device(
    records_itself: Callable[..., lt.Report],
) -> None:
    row = records_itself("inference")["evaluation/forward"]
    assert (row.count, row.device_count, row.device_ns) == (10, 10, 10 * 3 * MS)


def test_modules_have_the_devices_time_in_both_directions(
    records_itself: Callable[..., lt.Report],
) -> None:
    rows = records_itself("training", "modules").steady
    assert rows is not None
    assert rows["step/forward/Model"].device_ns == rows["step/forward"].device_ns


def test_it_can_be_switched_off(tmp_path: Path, fake_driver: Path) -> None:
    pytest.importorskip("torch")
    report = recorded(tmp_path, fake_driver, LAPTIME_DEVICE="off").report()
    assert report["step/forward"].device_ns is None
    assert "torch used cuda:0, and LAPTIME_DEVICE=off: times are host times" in report.to_json()


def test_phases_wait_for_the_device_where_the_environment_says_so(
    tmp_path: Path, fake_driver: Path
) -> None:
    pytest.importorskip("torch")
    report = recorded(tmp_path, fake_driver, LAPTIME_DEVICE="sync").report()
    assert "device.synchronized" in report.to_json()
    rows = report.steady
    assert rows is not None
    for path, ms in (("step/forward", 3), ("step/backward", 5), ("step/optimizer", 1)):
        assert rows[path].device_ns == rows[path].count * ms * MS, path
    assert rows["step/backward"].launch_bound_count == rows["step/backward"].count
