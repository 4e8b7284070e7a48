"""Plain laps on a device: no phases, and CUDA comes into use at some time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from warm import Warm

import laptime as lt

MS = 1_000_000
HERE = Path(__file__).parent
ORDERS = ("torch", "laptime")


def printed(
    folder: Path,
    driver: Path,
    *words: str,
    run: tuple[str, ...] = (),
    program: str = "laps.py",
    python: str | Path = sys.executable,
    **environment: str,
) -> dict[str, str]:
    """What the program prints."""
    pytest.importorskip("torch")
    unset = {name: "" for name in os.environ if name.startswith("LAPTIME")}
    done = subprocess.run(
        [python, *run, str(HERE / program), *words],
        env={**os.environ, **unset, "LD_LIBRARY_PATH": str(driver), **environment},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    lines = (line.partition(": ") for line in done.stdout.splitlines())
    return {key: value for key, _, value in lines}


def timed(path: Path) -> tuple[int | None, int | None, int | None]:
    """Times on the device: of the lap before CUDA, and of those after, with their count."""
    report = lt.open(path).report()
    row = report["infer"]
    return report["before"].device_ns, row.device_ns, row.device_count


@pytest.mark.parametrize("order", ORDERS)
def test_laps_of_a_recorded_program_are_timed(
    tmp_path: Path, fake_driver: Path, order: str, warm_on_device: Warm
) -> None:
    python = warm_on_device.python if order == "torch" else sys.executable
    said = printed(tmp_path, fake_driver, order, "record", python=python)
    assert timed(tmp_path / "laps.lap") == (None, 12 * MS, 3)
    assert said["asked too early"] == "0"
    assert said["left in the queue"] == "0 of 1"


@pytest.mark.parametrize("order", ORDERS)
def test_laps_are_timed_where_the_environment_records(
    tmp_path: Path, fake_driver: Path, order: str
) -> None:
    path = tmp_path / "by_environment.lap"
    printed(tmp_path, fake_driver, order, LAPTIME=str(path))
    assert timed(path) == (None, 12 * MS, 3)


def test_laps_are_timed_below_run_without_phases(tmp_path: Path, fake_driver: Path) -> None:
    path = tmp_path / "run.lap"
    run = ("-m", "laptime", "run", "--no-auto", "-o", str(path))
    printed(tmp_path, fake_driver, "torch", run=run)
    assert timed(path) == (None, 12 * MS, 3)


@pytest.mark.parametrize("order", ORDERS)
def test_the_programs_own_report_has_them_without_a_recording(
    tmp_path: Path, fake_driver: Path, order: str, warm_on_device: Warm
) -> None:
    python = warm_on_device.python if order == "torch" else sys.executable
    said = printed(tmp_path, fake_driver, order, "print", python=python)
    assert said["device"] == str(12 * MS)


def test_nothing_is_queued_where_devices_are_off(tmp_path: Path, fake_driver: Path) -> None:
    said = printed(tmp_path, fake_driver, "laptime", "print", LAPTIME_DEVICE="off")
    assert said["device"] == "None"
    assert said["left in the queue"] == "0 of 0"


@pytest.mark.parametrize("how", ["record", "environment"])
def test_a_recording_where_devices_are_off_says_so(
    tmp_path: Path, fake_driver: Path, how: str, warm_on_device: Warm
) -> None:
    path = tmp_path / "laps.lap"
    if how == "record":
        python = warm_on_device.python
        printed(tmp_path, fake_driver, "torch", "record", python=python, LAPTIME_DEVICE="off")
    else:
        printed(tmp_path, fake_driver, "torch", LAPTIME=str(path), LAPTIME_DEVICE="off")
    row = lt.open(path).report()["infer"]
    assert (row.device_ns, row.why("device_ns")) == (None, "LAPTIME_DEVICE=off")


def test_nothing_is_queued_where_laptime_is_off(
    tmp_path: Path, fake_driver: Path, warm_on_device: Warm
) -> None:
    said = printed(tmp_path, fake_driver, "torch", python=warm_on_device.python, LAPTIME="0")
    assert said["left in the queue"] == "0 of 0"


def test_a_start_of_cuda_that_fails_is_not_tried_again_by_a_lap(
    tmp_path: Path, fake_driver: Path, warm_on_device: Warm
) -> None:
    said = printed(tmp_path, fake_driver, "torch", "fail", python=warm_on_device.python)
    assert said["failed"] == "as it does without Laptime"
    assert said["starts"] == "1"
    assert said["asked too early"] == "0"


def test_who_waits_for_a_full_queue_keeps_nobody_from_going_on(
    tmp_path: Path, fake_driver: Path, warm_on_device: Warm
) -> None:
    done = subprocess.run(
        [warm_on_device.python, str(HERE / "full_queue.py")],
        env={**os.environ, "LD_LIBRARY_PATH": str(fake_driver)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.stdout.splitlines() == ["report: 1", "done: True"], done.stderr
    row = lt.open(tmp_path / "full_queue.lap").report()["full"]
    assert (row.device_count, row.count) == (1, 1)


def test_a_report_beside_a_sub_interpreter_ends_well(tmp_path: Path, fake_driver: Path) -> None:
    pytest.importorskip("torch")
    done = subprocess.run(
        [sys.executable, str(HERE / "subinterpreter.py")],
        env={**os.environ, "LD_LIBRARY_PATH": str(fake_driver)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=100,
    )
    if "made: none" in done.stdout:
        pytest.skip("this Python makes no sub-interpreters")
    assert (done.returncode, done.stdout) == (0, "count: 1\n"), done.stderr
    assert lt.open(tmp_path / "sub.lap").report()["behind"].device_count == 1


def test_of_a_lap_that_opened_before_the_recording_no_device_time_is_told(
    tmp_path: Path, fake_driver: Path, warm_on_device: Warm
) -> None:
    """The device tells the whole of it, and the recording has a part."""
    printed(tmp_path, fake_driver, program="opened_before.py", python=warm_on_device.python)
    report = lt.open(tmp_path / "opened_before.lap").report()
    assert (report["around"].count, report["around"].device_ns) == (0, None)
    assert report["around/inside"].device_ns == 5 * MS
