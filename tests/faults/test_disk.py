"""Disks that fill, files that may not grow, folders that cannot be written.

One warning, the program's own result and exit code, and everything before it readable.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from launched import Outcome, Runner, count

SPANS = 400_000

# About 2.6 MB of spans, recorded by the program itself or under the launcher.
WORK = f"""
    import sys
    import laptime as lt

    total = 0
    for number in range({SPANS}):
        with lt.lap("work"):
            total += number
    print(total)
    sys.exit(5)
"""
RESULT = f"{SPANS * (SPANS - 1) // 2}\n"


def mount(folder: Path, options: str) -> bool:
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", options, "tmpfs", str(folder)]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    if not mount(folder, "size=1m"):
        pytest.skip("a file system of its own can be mounted by root only")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


@pytest.fixture
def unwritable(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "unwritable"
    if os.geteuid() != 0:
        folder.mkdir(mode=0o555)
        yield folder
        return
    if not mount(folder, "ro"):
        pytest.skip("root writes everywhere, and may not mount read-only here")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def check_cut_short(outcome: Outcome) -> None:
    assert outcome.code == 5, outcome.err
    assert outcome.out == RESULT
    assert outcome.err.count("laptime: warning: recording stopped") == 1, outcome.err
    summary = outcome.summary()
    (process,) = summary["processes"]
    kept = count(summary, "work")
    assert 10_000 < kept < SPANS
    # What did not fit is counted.
    assert kept + process["lost_count"] == SPANS
    assert any(warning["code"] == "lost-spans" for warning in summary["warnings"]), summary[
        "warnings"
    ]


def test_a_disk_that_fills_costs_one_warning_and_what_did_not_fit(
    run: Runner, small_disk: Path
) -> None:
    check_cut_short(run(WORK, recording=small_disk / "program.lap"))


def test_a_file_size_limit_costs_one_warning_and_what_did_not_fit(run: Runner) -> None:
    limit = ["bash", "-c", 'ulimit -f 1024; exec "$@"', "limit"]
    outcome = run(WORK, before=limit)
    check_cut_short(outcome)


def test_a_folder_that_cannot_be_written_costs_one_warning(run: Runner, unwritable: Path) -> None:
    outcome = run(WORK, recording=unwritable / "program.lap")
    assert (outcome.code, outcome.out) == (5, RESULT), outcome.err
    assert len(outcome.warnings) == 1, outcome.err
    assert "program.lap" in outcome.warnings[0]


def test_a_recording_below_a_plain_file_costs_one_warning(run: Runner, tmp_path: Path) -> None:
    (tmp_path / "plain").write_text("")
    outcome = run(WORK, recording=tmp_path / "plain" / "program.lap")
    assert (outcome.code, outcome.out) == (5, RESULT), outcome.err
    assert len(outcome.warnings) == 1, outcome.err
