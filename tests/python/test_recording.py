"""Recordings: written, finished, opened, damaged."""

from __future__ import annotations

import logging
import math
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import laptime as lt

sys.path.insert(0, str(Path(__file__).parent))

import arrow_stream

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_a_recording_holds_what_was_recorded(recording: Path) -> None:
    with lt.record(recording) as record:
        for _ in range(1_000):
            with lt.lap("recorded"), lt.lap("inside"):
                pass
        lt.mark("recorded mark")
        lt.metric("recorded loss", 0.5)
        lt.metric("recorded loss", math.nan)
    assert record.path == recording
    opened = lt.open(recording)
    report = opened.report()
    assert report["recorded"].count == 1_000
    assert report["recorded/inside"].count == 1_000
    assert [value for _, value in opened.metrics()["recorded loss"]] == [0.5, None]
    assert "inside" in opened.tree()
    assert isinstance(opened.environment, dict)
    assert opened.path == recording


def test_the_start_does_not_need_with(recording: Path) -> None:
    record = lt.record(str(recording))
    with lt.lap("without with"):
        pass
    record.stop()
    record.stop()
    assert lt.open(str(recording)).report()["without with"].count == 1


def test_an_existing_path_is_never_overwritten(
    recording: Path, caplog: pytest.LogCaptureFixture
) -> None:
    recording.mkdir()
    (recording / "mine").write_text("keep")
    with caplog.at_level(logging.WARNING, "laptime"), lt.record(recording) as record:
        with lt.lap("elsewhere"):
            pass
    assert record.path == recording.with_name("test-1.lap")
    assert len(caplog.records) == 1
    assert (recording / "mine").read_text() == "keep"
    assert lt.open(record.path).report()["elsewhere"].count == 1


def test_inside_another_recording_a_reference_is_written(recording: Path) -> None:
    inner = recording.with_name("inner.lap")
    with lt.record(recording):
        with lt.record(inner):
            with lt.lap("in both"):
                pass
        with lt.lap("after the inner"):
            pass
    assert lt.open(inner).report()["in both"].count == 1
    assert lt.open(recording).report()["after the inner"].count == 1


def test_a_reference_never_overwrites_either(recording: Path) -> None:
    inner = recording.with_name("inner.lap")
    inner.write_text("keep")
    with lt.record(recording):
        for expected in ("inner-1.lap", "inner-2.lap"):
            with lt.record(inner) as record:
                with lt.lap("referred to"):
                    pass
            assert record.path.name == expected
    assert inner.read_text() == "keep"
    assert lt.open(inner.with_name("inner-2.lap")).report()["referred to"].count == 2


def test_a_recording_can_follow_another(tmp_path: Path) -> None:
    for number in range(3):
        with lt.record(tmp_path / f"{number}.lap"):
            with lt.lap(f"run {number}"):
                pass
    for number in range(3):
        report = lt.open(tmp_path / f"{number}.lap").report()
        assert [path for path in report if path.startswith("run")] == [f"run {number}"]


def test_spans_are_a_stream_of_batches(recording: Path) -> None:
    with lt.record(recording):
        with lt.lap("parent of many"):
            for _ in range(30_000):
                with lt.lap("child"):
                    pass
    opened = lt.open(recording)
    columns, batches = arrow_stream.read(opened.spans())
    assert batches > 1
    assert list(columns) == [
        *("path", "name", "start_ns", "duration_ns", "pid", "track", "flags"),
        *("memory_net_bytes", "memory_peak_bytes"),
    ]
    assert set(columns["memory_net_bytes"]) == set(columns["memory_peak_bytes"]) == {None}
    children = [row for row, name in enumerate(columns["name"]) if name == "child"]
    assert len(children) == 30_000
    assert {columns["path"][row] for row in children} == {"parent of many/child"}
    total = sum(columns["duration_ns"][row] for row in children)
    reported = opened.report()["parent of many/child"].total_ns
    assert total == reported, "to the nanosecond"
    parent = columns["name"].index("parent of many")
    start, end = columns["start_ns"], columns["duration_ns"]
    for row in children:
        assert start[row] >= start[parent]
        assert start[row] + end[row] <= start[parent] + end[parent] + 1_000
    assert set(columns["pid"]) == {os.getpid()}


def test_polars_reads_spans(recording: Path) -> None:
    polars = pytest.importorskip("polars")
    with lt.record(recording):
        with lt.lap("for polars"):
            pass
    frame = polars.DataFrame(lt.open(recording).spans())
    assert "for polars" in frame["path"]


def test_polars_reads_the_memory_of_spans(recording: Path) -> None:
    polars = pytest.importorskip("polars")
    size = 8_000_000
    with lt.record(recording, memory=True):
        with lt.lap("keeps"):
            kept = bytes(size)
        with lt.lap("gives back"):
            del kept
        with lt.lap("both"):
            bytes(size)
    frame = polars.DataFrame(lt.open(recording).spans())
    assert frame.schema["memory_net_bytes"] == polars.Int64
    assert frame.schema["memory_peak_bytes"] == polars.UInt64
    found = {row["path"]: row for row in frame.iter_rows(named=True)}
    near = {"rel": 0.01, "abs": 0.01 * size}
    nets = {"keeps": size, "gives back": -size, "both": 0}
    peaks = {"keeps": size, "gives back": 0, "both": size}
    for path, net in nets.items():
        assert found[path]["memory_net_bytes"] == pytest.approx(net, **near)
        assert found[path]["memory_peak_bytes"] == pytest.approx(peaks[path], **near)


MANY_LAPS = """
import sys, laptime as lt
with lt.record(sys.argv[1]):
    for _ in range(100_000):
        with lt.lap("small"):
            pass
"""


def test_a_span_takes_two_bytes_and_those_of_its_times(run: Run, recording: Path) -> None:
    polars = pytest.importorskip("polars")
    run(MANY_LAPS, recording)
    size = sum(file.stat().st_size for file in recording.iterdir())
    spans = polars.DataFrame(lt.open(recording).spans())
    # Times are written seven bits a byte, in ticks of a quarter of a nanosecond or more.
    gaps = spans["start_ns"].diff().fill_null(0)
    numbers = [int(ns) * 4 + 1 for times in (gaps, spans["duration_ns"]) for ns in times]
    times = sum(-(-number.bit_length() // 7) for number in numbers)
    head = 48 * 1024
    assert size <= head + times + 2 * len(spans)


def test_files_are_the_owners_alone(recording: Path) -> None:
    with lt.record(recording):
        pass
    for file in recording.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_opening_nothing_is_file_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as error:
        lt.open(tmp_path / "missing.lap")
    assert error.value.filename == str(tmp_path / "missing.lap")


@pytest.mark.parametrize(
    "content", [b"", b"not a recording at all", b"\0" * 40_000, b"LAPTIME" * 9_000]
)
def test_a_foreign_file_is_a_damaged_recording(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "foreign.proc"
    file.write_bytes(content)
    with pytest.raises(lt.DamagedRecordingError, match=r"foreign\.proc"):
        lt.open(file)
    assert issubclass(lt.DamagedRecordingError, lt.LaptimeError)


def test_a_folder_that_is_no_recording(tmp_path: Path) -> None:
    with pytest.raises(lt.DamagedRecordingError, match="not a Laptime recording"):
        lt.open(tmp_path)


def test_a_flipped_bit_is_found_and_located(run: Any, recording: Path) -> None:
    # By itself: the names of other tests would take windows too.
    run(
        "import sys, laptime as lt\n"
        "with lt.record(sys.argv[1]):\n"
        "    for _ in range(30_000):\n"
        "        with lt.lap('to be damaged'):\n"
        "            pass",
        str(recording),
    )
    (file,) = recording.glob("*.proc")
    content = bytearray(file.read_bytes())
    # In the middle of a full window: the first two are short.
    content[180_000] ^= 4
    file.write_bytes(content)
    salvaged = lt.open(recording, salvage=True).report()
    assert 0 < (salvaged["to be damaged"].count or 0) < 30_000
    assert salvaged.warnings
    with pytest.raises(lt.DamagedRecordingError, match=r"offset \d+|at \d+|\d{5}"):
        lt.open(recording)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_a_permission_error(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError):
        lt.record(tmp_path / "no.lap")


def test_recording_below_a_missing_folder_is_file_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        lt.record(tmp_path / "missing" / "x.lap")


@pytest.mark.interpreter
def test_a_killed_program_leaves_what_it_recorded(run: Any, recording: Path) -> None:
    done = run(
        "import laptime as lt, os, sys, signal\n"
        "lt.record(sys.argv[1])\n"
        "for _ in range(500):\n  with lt.lap('before'): pass\n"
        "lt.lap('when killed').__enter__()\n"
        "os.kill(os.getpid(), signal.SIGKILL)",
        str(recording),
        check=False,
    )
    assert done.returncode == -9
    report = lt.open(recording).report()
    assert report["before"].count in (499, 500)
    assert "when killed" in report


@pytest.mark.interpreter
def test_the_exit_of_the_interpreter_finishes_a_recording(run: Any, recording: Path) -> None:
    run(
        "import laptime as lt, sys\nlt.record(sys.argv[1])\n"
        "for _ in range(500):\n  with lt.lap('to the end'): pass",
        str(recording),
    )
    assert lt.open(recording).report()["to the end"].count == 500


@pytest.mark.interpreter
@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_child_processes_join(run: Any, tmp_path: Path, method: str) -> None:
    script = tmp_path / "children.py"
    script.write_text(
        f"""
import multiprocessing, sys
import laptime as lt

def work(number):
    with lt.lap("in a child"):
        return number * 2

if __name__ == "__main__":
    context = multiprocessing.get_context({method!r})
    with lt.record(sys.argv[1]):
        with context.Pool(2) as pool:
            assert pool.map(work, range(20), 1) == [2 * n for n in range(20)]
            pool.close()
            pool.join()
"""
    )
    target = tmp_path / "children.lap"
    subprocess.run([sys.executable, script, target], check=True, timeout=500)
    row = lt.open(target).report()["in a child"]
    assert row.count == 20


def test_force_never_replaces_what_a_parent_is_writing(tmp_path: Path) -> None:
    script = tmp_path / "train.py"
    script.write_text(
        """
import multiprocessing as mp
import laptime as lt
recording = lt.record("run.lap", force=True)
def again():
    lt.record("run.lap", force=True)
def work(number):
    with lt.lap("in worker"):
        return number
if __name__ == "__main__":
    with mp.get_context("spawn").Pool(1) as pool:
        assert pool.map(work, [1, 2]) == [1, 2]
    child = mp.get_context("fork").Process(target=again)
    child.start()
    child.join()
    with lt.lap("after"):
        pass
    recording.stop()
    assert recording.path.name == "run.lap"
    paths = list(lt.open("run.lap").report())
    assert {"in worker", "after"} <= set(paths), paths
""",
        "utf-8",
    )
    for _again in range(2):
        done = subprocess.run(
            [sys.executable, "train.py"], cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


def test_force_leaves_the_recording_of_the_launcher_alone(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(
        "import laptime as lt\n"
        "with lt.lap('early'):\n  pass\n"
        "with lt.record('run.lap', force=True), lt.lap('inner'):\n  pass\n",
        "utf-8",
    )
    command = [sys.executable, "-m", "laptime", "run", "-o", "run.lap", "train.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert {"early", "inner"} <= set(lt.open(tmp_path / "run.lap").report()), done.stderr
