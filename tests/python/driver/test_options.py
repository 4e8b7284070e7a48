"""`sync=True` and `streams="all"`: what laps do then, and what the report says."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from warm import Warm

import laptime as lt

MS = 1_000_000
HERE = Path(__file__).parent


@pytest.fixture
def printed(
    tmp_path: Path, fake_driver: Path, warm_on_device: Warm
) -> Callable[..., dict[str, str]]:
    """What the program prints."""

    def printed(how: str, **environment: str) -> dict[str, str]:
        unset = {name: "" for name in os.environ if name.startswith("LAPTIME")}
        done = subprocess.run(
            [warm_on_device.python, str(HERE / "options.py"), how],
            env={**os.environ, **unset, "LD_LIBRARY_PATH": str(fake_driver), **environment},
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr
        lines = (line.partition(": ") for line in done.stdout.splitlines())
        return {key: value for key, _, value in lines}

    return printed


def codes(report: lt.Report) -> set[str]:
    """Of its warnings about devices."""
    found = report.to_json()
    return {code for code in ("device.synchronized", "device.streams") if code in found}


def test_laps_wait_for_nothing_unless_asked(
    tmp_path: Path, printed: Callable[..., dict[str, str]]
) -> None:
    said = printed("plain")
    report = lt.open(tmp_path / "options.lap").report()
    assert (said["done ms"], said["waited ms"], said["task waited ms"]) == ("0.0", "0.0", "0.0")
    assert report["lap"].device_ns == 2 * MS
    assert codes(report) == set()


def test_laps_wait_for_their_device_while_a_recording_asks_for_it(
    tmp_path: Path, printed: Callable[..., dict[str, str]]
) -> None:
    said = printed("sync")
    report = lt.open(tmp_path / "options.lap").report()
    assert said["done ms"] == "2.0", "it waited for its own stream"
    assert said["waited ms"] == "5.0", "the inner lap waited"
    assert said["task waited ms"] == "4.0", "and so did one in a task"
    assert said["waited afterwards ms"] == "0.0"
    assert report["lap"].device_ns == 2 * MS
    assert codes(report) == {"device.synchronized"}
    assert "laps waited for their device" in str(report)


def test_the_environment_asks_for_all_of_it(
    tmp_path: Path, printed: Callable[..., dict[str, str]]
) -> None:
    said = printed("environment", LAPTIME_DEVICE="sync", LAPTIME_STREAMS="all")
    report = lt.open(tmp_path / "options.lap").report()
    assert said["done ms"] == "7.0", "it waited for all streams that never end"
    assert said["waited afterwards ms"] == "3.0", "it is not the recording that asked"
    assert report["lap"].device_ns == 7 * MS
    assert codes(report) == {"device.synchronized", "device.streams"}


def test_laps_end_at_the_last_of_all_streams_but_the_programs_own(
    tmp_path: Path, printed: Callable[..., dict[str, str]]
) -> None:
    said = printed("streams")
    report = lt.open(tmp_path / "options.lap").report()
    assert report["lap"].device_ns == 7 * MS
    assert report["step/inner"].device_ns == 5 * MS
    assert said["waited ms"] == "0.0"
    assert codes(report) == {"device.streams"}
    assert (said["stands in"], said["stands in afterwards"]) == ("True", "False")


def test_what_streams_means_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="streams must be 'current' or 'all', not 'every'"):
        lt.record(tmp_path / "x.lap", streams="every")  # type: ignore[arg-type]


def test_what_sync_means_is_said(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="sync must be True or False, not 'off'"):
        lt.record(tmp_path / "x.lap", sync="off")  # type: ignore[arg-type]
