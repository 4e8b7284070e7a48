"""What a device says of itself, from a fake driver to the report of `laptime run`."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import laptime as lt

HERE = Path(__file__).parent
TOO_FEW = "fewer than 5 updates of the device's energy counter were seen"


def recorded(folder: Path, libraries: Path, *arguments: str, **environment: str) -> Path:
    """The recording of the training."""
    path = folder / "training.lap"
    run = [sys.executable, "-m", "laptime", "run", "-o", str(path)]
    done = subprocess.run(
        [*run, str(HERE / "training.py"), *arguments],
        env={**os.environ, "LD_LIBRARY_PATH": str(libraries), **environment},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    return path


def summary(path: Path) -> dict[str, Any]:
    """The summary of a recording, as JSON has it."""
    told: dict[str, Any] = json.loads(lt.open(str(path)).report().to_json())
    return told


def test_the_report_has_the_device_with_its_power_energy_and_what_slowed_it(
    tmp_path: Path, fake_libraries: Path
) -> None:
    path = recorded(tmp_path, fake_libraries)
    (device,) = summary(path)["devices"]
    assert device["name"] == "Fake GPU 0"
    assert device["uuid"] == "GPU-fafafafa-fafa-fafa-fafa-fafafafafa00"
    whole = device["whole"]
    assert whole["sample_count"] >= 31
    assert 0.4 < whole["utilization_mean_ratio"] < 0.6
    assert whole["utilization_p95_ratio"] == 0.9
    assert whole["power_mean_w"] == whole["power_peak_w"] == 400.0
    assert whole["memory_peak_bytes"] == 8 << 30
    assert whole["process_memory_peak_bytes"] == 6 << 30
    # The counter rises by 40 J from reading to reading.
    assert whole["energy_j"] == 40.0 * (whole["sample_count"] - 1)
    assert 0.5 < whole["throttled_ratio"] < 0.8
    assert [one["reason"] for one in whole["throttled_by"]] == ["power limit"]
    text = str(lt.open(str(path)).report())
    assert "devices" in text
    assert "power limit" in text


def test_laps_that_are_long_enough_have_their_energy_and_others_a_reason(
    tmp_path: Path, fake_libraries: Path
) -> None:
    report = lt.open(str(recorded(tmp_path, fake_libraries))).report()
    train, step = report["train"], report["train/step"]
    assert train.device_energy_j is not None
    # 30 readings, and a part of one at each end.
    assert 40.0 * 28 < train.device_energy_j < 40.0 * 32
    assert step.device_energy_j is None
    assert step.why("device_energy_j") == TOO_FEW


def worked(folder: Path, libraries: Path, readings: int) -> tuple[lt.SpanSummary, str]:
    """The lap of a program that records itself, and what its own report said of its energy."""
    path = folder / "working.lap"
    done = subprocess.run(
        [sys.executable, str(HERE / "working.py"), str(path), str(readings)],
        env={**os.environ, "LD_LIBRARY_PATH": str(libraries)},
        cwd=folder,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return lt.open(str(path)).report()["work"], done.stdout.strip()


def test_the_only_lap_of_a_program_that_records_itself_has_its_energy(
    tmp_path: Path, fake_libraries: Path
) -> None:
    work, said = worked(tmp_path, fake_libraries, 10)
    assert work.device_energy_j is not None
    # 30 J from reading to reading.
    assert 30.0 * 9 < work.device_energy_j < 30.0 * 12
    assert said.endswith("this is a report of the running program: open the recording")


def test_where_the_device_was_read_too_seldom_it_is_not_said_to_have_no_counter(
    tmp_path: Path, fake_libraries: Path
) -> None:
    work, _ = worked(tmp_path, fake_libraries, 1)
    assert work.device_energy_j is None
    assert work.why("device_energy_j") == TOO_FEW


def test_a_device_without_a_counter_has_no_energy_and_says_so(
    tmp_path: Path, fake_libraries: Path
) -> None:
    path = recorded(tmp_path, fake_libraries, "without-energy")
    (device,) = summary(path)["devices"]
    assert device["whole"]["energy_j"] is None
    assert device["whole"]["why"]["energy_j"] == "the GPU does not tell it"
    report = lt.open(str(path)).report()
    assert "the GPU does not tell it" in str(report)
    assert report["train"].why("device_energy_j") == "the GPU does not tell it"


def test_a_lost_device_leaves_the_program_alone_and_its_reason_in_the_report(
    tmp_path: Path, fake_libraries: Path
) -> None:
    told = summary(recorded(tmp_path, fake_libraries, "lost"))
    (device,) = told["devices"]
    assert device["whole"]["sample_count"] >= 2
    (warning,) = [one for one in told["warnings"] if one["code"] == "telemetry.lost"]
    assert warning["message"].startswith("device 0 was not sampled to the end: the GPU is lost")


def test_it_is_switched_off_with_the_times_of_devices(tmp_path: Path, fake_libraries: Path) -> None:
    told = summary(recorded(tmp_path, fake_libraries, "idle", LAPTIME_DEVICE="off"))
    assert "devices" not in told
    assert "devices" not in told["unavailable"]
