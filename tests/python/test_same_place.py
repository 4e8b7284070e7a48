"""Recordings that meet: at one path, in one another, with a folder that is gone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import laptime as lt

RECORDS = """
import sys, laptime as lt
with lt.record(sys.argv[1], force=True) as recording:
    with lt.lap("theirs"):
        print(recording.path, flush=True)
        sys.stdin.readline()
"""


def test_a_recording_that_another_process_writes_is_never_replaced(tmp_path: Path) -> None:
    path = tmp_path / "train.lap"
    command = [sys.executable, "-c", RECORDS, str(path)]
    other = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None
    assert other.stdout.readline().strip() == str(path)
    with lt.record(path, force=True) as own, lt.lap("ours"):
        pass
    assert own.path == tmp_path / "train-1.lap"
    refused = subprocess.run(
        [sys.executable, "-m", "laptime", "run", "-o", str(path), "--force", "true"],
        capture_output=True,
        text=True,
    )
    assert refused.returncode == 125
    assert "another process is recording into" in refused.stderr
    other.communicate("\n")
    assert other.returncode == 0
    assert "theirs" in lt.open(path).report()
    assert "ours" in lt.open(own.path).report()
    with lt.record(path, force=True) as again:
        pass
    assert again.path == path


def test_a_recording_whose_folder_was_deleted_makes_room_for_the_next(tmp_path: Path) -> None:
    path = tmp_path / "cell.lap"
    first = lt.record(path)
    shutil.rmtree(path)
    with lt.record(path), lt.lap("x"):
        pass
    assert lt.open(path).report()["x"].count == 1
    end = lt.open(path).report().to_json()
    first.stop()
    assert lt.open(path).report().to_json() == end, "the first one's end is not the second one's"


def test_the_end_of_a_recording_that_is_gone_does_not_end_the_next(tmp_path: Path) -> None:
    first = lt.record(tmp_path / "first.lap")
    shutil.rmtree(first.path)
    with lt.record(tmp_path / "second.lap") as second:
        first.stop()
        with lt.lap("x"):
            pass
    assert lt.open(second.path).report()["x"].count == 1


def test_a_recording_in_another_one_has_an_absolute_path(tmp_path: Path) -> None:
    before = Path.cwd()
    os.chdir(tmp_path)
    try:
        with lt.record("outer.lap"), lt.lap("x"), lt.record("inner.lap") as inner:
            pass
    finally:
        os.chdir(before)
    assert inner.path == tmp_path / "inner.lap"
    assert "x" in lt.open(inner.path).report()


def test_threads_that_force_one_path_hurt_nobody(tmp_path: Path) -> None:
    raised: list[BaseException] = []

    def again() -> None:
        try:
            for _ in range(20):
                with lt.record(tmp_path / "one.lap", force=True):
                    pass
        except BaseException as error:
            raised.append(error)

    threads = [threading.Thread(target=again) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert raised == []


def test_a_lap_around_the_beginning_counts_from_there_on(tmp_path: Path) -> None:
    with lt.lap("main"):
        sum(range(300_000))
        recording = lt.record(tmp_path / "in.lap")
        with lt.lap("x"):
            sum(range(100_000))
    recording.stop()
    report = lt.open(recording.path).report()
    assert (report["main"].count, report["main/x"].count) == (0, 1)
    wall_ns = json.loads(report.to_json())["wall_ns"]
    assert report["main/x"].total_ns <= report["main"].total_ns <= wall_ns
    assert "at once" not in report.headline


def test_a_lap_around_the_whole_recording_is_in_the_first_line(tmp_path: Path) -> None:
    with lt.lap("main"), lt.record(tmp_path / "in.lap") as recording, lt.lap("x"):
        sum(range(3_000_000))
    report = lt.open(recording.path).report()
    assert report["main"].count == 0
    assert " % main" in report.headline
    assert "under" not in report.headline


def test_the_steady_part_of_a_report_has_the_sums_of_its_rows(tmp_path: Path) -> None:
    with lt.record(tmp_path / "r.lap") as recording:
        for step in lt.track(range(60), "step"):
            sum(range(200_000 if step < 5 else 20_000))
    steady = lt.open(recording.path).report().steady
    assert steady is not None
    told = json.loads(steady.to_json())
    assert told["span_count"] == sum(row["count"] or 0 for row in told["rows"])
