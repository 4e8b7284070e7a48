"""Exports, read back by readers that aren't ours and compared with the report."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import laptime as lt

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")
pytest.importorskip("perfetto")
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as trace_pb2

Run = Callable[..., "subprocess.CompletedProcess[str]"]

# Threads, tasks, timers, a fork, marks, metrics, memory, work, and names that aren't elsewhere.
PROGRAM = """
import asyncio, os, sys, threading
import laptime as lt

NAMES = ["a;b", "</script>", "two\\nlines", "\\x1b[31mred",
    "lone \\udc80 surrogate", "=1+1", "a/b"]

def work():
    with lt.lap("worker"):
        for _ in range(30):
            with lt.lap("item"):
                pass

async def request(number):
    with lt.lap("request"):
        for _ in range(5):
            with lt.lap("part"):
                await asyncio.sleep(0)

async def serve():
    await asyncio.gather(*[request(number) for number in range(8)])

with lt.record(sys.argv[1], memory=True):
    timer = lt.Timer("clock")
    thread = threading.Thread(target=work)
    thread.start()
    for step in range(300):
        with lt.lap("step"):
            timer.start("one")
            with lt.lap("forward"):
                held = [0] * 1000
            timer.start("two")
            timer.stop("one")
            with lt.lap("backward", flop=2000, bytes=80):
                pass
            timer.stop("two")
        lt.metric("loss", 1 / (step + 1))
    for name in NAMES:
        with lt.lap(name):
            pass
    lt.metric("loss", float("nan"))
    lt.metric("loss", float("inf"))
    lt.mark("half")
    thread.join()
    asyncio.run(serve())
    child = os.fork()
    if child == 0:
        with lt.lap("child"):
            with lt.lap("inside"):
                pass
        os._exit(0)
    os.waitpid(child, 0)
"""


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("export") / "all.lap"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LAPTIME")}
    subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)], env=environment, check=True, timeout=300
    )
    return path


def exported(recorded: Path, name: str) -> Path:
    path = recorded.with_name(name)
    lt.open(recorded).export(path)
    return path


def spans(recorded: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = polars.DataFrame(lt.open(recorded).spans()).to_dicts()
    return rows


def key(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["path"], row["start_ns"], row["duration_ns"], row["pid"], row["track"]


def sums(recorded: Path) -> dict[str, int]:
    report = lt.open(recorded).report()
    leftovers = ("startup", "other", "exit")  # gaps between laps
    own = {path: report[path].self_ns for path in report if path not in leftovers}
    return {path: ns for path, ns in own.items() if ns}


def test_parquet_has_the_rows_of_spans_in_every_reader(recorded: Path) -> None:
    path = str(exported(recorded, "all.parquet"))
    ours = sorted(map(key, spans(recorded)))
    frame = polars.read_parquet(path)
    assert sorted(map(key, frame.to_dicts())) == ours
    assert sorted(map(key, pandas.read_parquet(path).to_dict("records"))) == ours
    columns = "path, start_ns, duration_ns, pid, track"
    assert sorted(duckdb.sql(f"select {columns} from '{path}'").fetchall()) == ours
    backward = frame.filter(polars.col("path") == "step/backward")
    assert backward["flop"].to_list() == [2000] * 300
    assert backward["bytes"].to_list() == [80] * 300
    assert frame["memory_net_bytes"].null_count() < len(frame)
    whole = {row["start_ns"]: row for row in spans(recorded) if row["path"] == "step/forward"}
    for row in frame.filter(polars.col("path") == "step/forward").to_dicts():
        for name in ("memory_net_bytes", "memory_peak_bytes", "flags"):
            assert row[name] == whole[row["start_ns"]][name]


def test_collapsed_stacks_add_up_to_the_report_s_own_times(recorded: Path) -> None:
    found = {}
    for line in exported(recorded, "all.folded").read_text().splitlines():
        stack, ns = line.rsplit(" ", 1)
        names = [name.replace("\\x3b", ";").replace("/", "\\/") for name in stack.split(";")]
        found["/".join(names)] = int(ns)
    ours = {
        path.replace("\n", "\\n").replace("\x1b", "\\u{1b}"): ns
        for path, ns in sums(recorded).items()
    }
    assert found == ours
    assert found["step/forward"] > 0


def nested(bars: list[tuple[int, int]]) -> bool:
    """Whether of any two bars one lies inside of the other, or they are apart."""
    open_ends: list[int] = []
    for start, end in sorted(bars, key=lambda bar: (bar[0], -bar[1])):
        while open_ends and open_ends[-1] <= start:
            open_ends.pop()
        if open_ends and end > open_ends[-1]:
            return False
        open_ends.append(end)
    return True


def nanoseconds(microseconds: float) -> int:
    return round(microseconds * 1000)


def exact(event: dict[str, Any]) -> tuple[str, int, int]:
    args = event.get("args", {})
    start = args.get("start_ns", nanoseconds(event["ts"]))
    return event["name"], start, args.get("duration_ns", nanoseconds(event["dur"]))


def test_chrome_s_events_are_the_spans_and_nest(recorded: Path) -> None:
    whole = json.loads(exported(recorded, "all.json").read_text())
    events = whole["traceEvents"]
    bars = [event for event in events if event["ph"] == "X"]
    ours = Counter((row["name"], row["start_ns"], row["duration_ns"]) for row in spans(recorded))
    assert Counter(map(exact, bars)) == ours
    lanes = defaultdict(list)
    for bar in bars:
        start, length = nanoseconds(bar["ts"]), nanoseconds(bar["dur"])
        lanes[bar["pid"], bar["tid"]].append((start, start + length))
        # A bar is moved or widened by what two clocks differ by, not more.
        _, exact_start, exact_length = exact(bar)
        assert abs(start - exact_start) < 100_000
        assert (
            "suspended" in bar.get("args", {}).get("flags", "") or length - exact_length < 100_000
        )
    assert all(map(nested, lanes.values()))
    named = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
    assert set(lanes) <= named
    shown = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert any(name.endswith("· timers") for name in shown)
    assert any(name.startswith("task ") for name in shown)
    counters = {event["name"] for event in events if event["ph"] == "C"}
    losses = [event for event in events if event["name"] == "loss"]
    moments = [(nanoseconds(loss["ts"]), loss["args"]["value"]) for loss in losses]
    assert moments[:300] == lt.open(recorded).metrics()["loss"][:300]
    assert [value for _, value in moments[300:]] == ["NaN", "Infinity"]
    assert any("memory" in name for name in counters)
    assert all(math.isfinite(event["args"]["value"]) for event in events if event["ph"] == "C")
    assert [event["name"] for event in events if event["ph"] == "i" and event["s"] == "t"] == [
        "half"
    ]
    assert whole["baseTimeNanoseconds"] > 1_600_000_000 * 10**9


def stacks(trace: Any) -> Iterator[tuple[str, int, int, dict[str, Any]]]:
    """Slices of a trace as the format defines them: in order of time, then of the file."""
    names: dict[int, str] = {}
    by_track: dict[int, list[Any]] = defaultdict(list)
    for packet in trace.packet:
        for entry in packet.interned_data.event_names:
            names[entry.iid] = entry.name
        if packet.HasField("track_event"):
            by_track[packet.track_event.track_uuid].append(packet)
    for packets in by_track.values():
        stack: list[Any] = []
        for packet in sorted(packets, key=lambda packet: packet.timestamp):
            event = packet.track_event
            if event.type == event.TYPE_SLICE_BEGIN:
                stack.append(packet)
            elif event.type == event.TYPE_SLICE_END:
                begin = stack.pop()
                notes = {
                    note.name: note.int_value or note.uint_value or note.string_value
                    for note in begin.track_event.debug_annotations
                }
                length = packet.timestamp - begin.timestamp
                yield names[begin.track_event.name_iid], begin.timestamp, length, notes
        assert not stack


def test_perfetto_s_packets_are_the_spans_by_the_official_schema(recorded: Path) -> None:
    trace = trace_pb2.Trace()
    trace.ParseFromString(exported(recorded, "all.pftrace").read_bytes())
    found = Counter(
        (name, notes.get("start_ns", start), notes.get("duration_ns", length))
        for name, start, length, notes in stacks(trace)
    )
    ours = Counter((row["name"], row["start_ns"], row["duration_ns"]) for row in spans(recorded))
    assert found == ours
    tracks = {
        packet.track_descriptor.uuid: packet.track_descriptor
        for packet in trace.packet
        if packet.HasField("track_descriptor")
    }
    used = {p.track_event.track_uuid for p in trace.packet if p.HasField("track_event")}
    assert used <= set(tracks)
    assert all(track.parent_uuid in tracks for track in tracks.values() if track.parent_uuid)
    processes = [track for track in tracks.values() if track.HasField("process")]
    assert len(processes) == 2
    threads = [track.thread for track in tracks.values() if track.HasField("thread")]
    assert len({thread.tid for thread in threads if thread.tid == thread.pid}) == 2
    assert any(thread.tid != thread.pid for thread in threads)
    counters = {track.name: track for track in tracks.values() if track.HasField("counter")}
    assert "loss" in counters
    memory = [track for name, track in counters.items() if "memory" in name]
    assert all(track.counter.unit == track.counter.UNIT_SIZE_BYTES for track in memory)
    values = [
        packet.track_event.double_counter_value
        for packet in trace.packet
        if packet.track_event.track_uuid == counters["loss"].uuid
    ]
    assert values == [1 / (step + 1) for step in range(300)]
    assert not any(packet.ListFields() == [] for packet in trace.packet)


def test_speedscope_s_events_add_up_to_the_spans(recorded: Path) -> None:
    whole = json.loads(exported(recorded, "all.speedscope.json").read_text())
    frames = [frame["name"] for frame in whole["shared"]["frames"]]
    found: Counter[str] = Counter()
    for profile in whole["profiles"]:
        assert (profile["type"], profile["unit"]) == ("evented", "nanoseconds")
        stack: list[tuple[int, int]] = []
        at = profile["startValue"]
        for event in profile["events"]:
            assert at <= event["at"] <= profile["endValue"]
            at = event["at"]
            if event["type"] == "O":
                stack.append((event["frame"], at))
            else:
                frame, _start = stack.pop()
                assert frame == event["frame"]
                found[frames[frame]] += 1
        assert not stack
    assert found == Counter(row["name"] for row in spans(recorded))


def test_counts_are_the_report_s(recorded: Path) -> None:
    report = lt.open(recorded).report()
    frame = polars.read_parquet(exported(recorded, "again.parquet"))
    for path, count in (("step", 300), ("step/forward", 300), ("child/inside", 1)):
        rows = frame.filter(polars.col("path") == path)
        assert len(rows) == report[path].count == count
        assert rows["duration_ns"].sum() == report[path].total_ns


@pytest.mark.parametrize("name", ["chrome", "speedscope", "collapsed", "parquet"])
def test_a_format_that_is_named_goes_before_the_ending(recorded: Path, name: str) -> None:
    endings = {"chrome": "json", "speedscope": "speedscope.json", "collapsed": "folded"}
    by_ending = exported(recorded, f"by-ending.{endings.get(name, name)}")
    path = recorded.with_name(f"named-{name}.txt")
    lt.open(recorded).export(path, name)
    assert path.read_bytes() == by_ending.read_bytes()


def test_what_python_exports_the_command_does(recorded: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "laptime", "export", recorded, "-f", "chrome"], capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout == exported(recorded, "again.json").read_bytes()


def test_errors_are_those_of_python(recorded: Path) -> None:
    found = lt.open(recorded)
    with pytest.raises(ValueError, match=r"speedscope.*\.pftrace"):
        found.export(recorded.with_name("b.pdf"))
    with pytest.raises(ValueError, match="speedscope"):
        found.export("x.json", "pdf")  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError, match="nowhere"):
        found.export("/nowhere/a.json")
    with pytest.raises(ValueError, match="is the recording itself"):
        found.export(recorded / "run.json")


def test_an_export_takes_the_place_of_the_file_that_was_there(
    recorded: Path, tmp_path: Path
) -> None:
    target = tmp_path / "there.json"
    target.write_text("before")
    lt.open(recorded).export(target)
    assert json.loads(target.read_text())["traceEvents"]
    assert [path.name for path in tmp_path.iterdir()] == ["there.json"]


def test_a_killed_recording_gives_what_it_holds(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "killed.lap"
    run(
        "import os, signal, sys, laptime as lt\n"
        "lt.record(sys.argv[1])\n"
        "with lt.lap('step'):\n"
        "    with lt.lap('forward'): pass\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n",
        path,
        check=False,
    )
    events = json.loads(exported(path, "killed.json").read_text())["traceEvents"]
    bars = [event for event in events if event["ph"] == "X"]
    assert [bar["name"] for bar in bars] == ["forward", "step"]
    assert [bar.get("args", {}).get("flags") for bar in bars] == [None, "open"]
