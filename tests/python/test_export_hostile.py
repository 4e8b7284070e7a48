"""Hostile names in every export: each file is whole for its own reader, and has them as text."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

import laptime as lt

sys.path.insert(0, str(Path(__file__).parent))

from hostile_names import COUNT, hostile_names

pandas = pytest.importorskip("pandas")
polars = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")
pytest.importorskip("pyarrow")
pytest.importorskip("perfetto")
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as trace_pb2

# Every name is a lap, a metric and a thread, and a lap on that thread.
PROGRAM = """
import sys, threading
import laptime as lt
from hostile_names import hostile_names

def work(name):
    with lt.lap(name):
        pass

with lt.record(sys.argv[1]):
    for number, name in enumerate(hostile_names()):
        lt.metric(name, number)
        with lt.lap("all"), lt.lap(name):
            pass
        thread = threading.Thread(target=work, args=(name,))
        thread.name = name
        thread.start()
        thread.join()
"""

#: Longer names are cut off: laps and metrics get a number then, so that they stay apart.
LONGEST, LONGEST_OF_THREAD = 1024, 256


def as_text(name: str) -> str:
    """The name as it is recorded, a lone surrogate written out."""
    return name.encode("utf-8", "backslashreplace").decode()


def is_long(text: str) -> bool:
    return len(text.encode()) > LONGEST


def of_thread(name: str) -> str:
    return as_text(name).encode()[:LONGEST_OF_THREAD].decode("utf-8", "ignore")


NAMES = [as_text(name) for name in hostile_names()]
SHORT = {name for name in NAMES if not is_long(name)}
THREADS = {of_thread(name) for name in hostile_names()} - {""}


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "all.lap"
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LAPTIME")}
    environment["PYTHONPATH"] = str(Path(__file__).parent)
    subprocess.run([sys.executable, "-c", PROGRAM, path], env=environment, check=True, timeout=300)
    return path


def exported(recorded: Path, name: str) -> Path:
    path = recorded.with_name(name)
    lt.open(recorded).export(path)
    return path


def spans(recorded: Path) -> Counter[str]:
    """How often each name is recorded."""
    return Counter(polars.DataFrame(lt.open(recorded).spans())["name"].to_list())


def is_hidden(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cf", "Zl", "Zp")


def has_nothing_hidden(path: Path) -> bool:
    text = path.read_text(encoding="utf-8").replace("\n", "")
    return not any(map(is_hidden, text))


def in_path(name: str) -> str:
    return name.replace("\\", "\\\\").replace("/", "\\/")


def metrics_are_named(names: list[str], as_written: Callable[[str], str] = str) -> bool:
    """Whether these are the names of all metrics, once each."""
    short = {as_written(name) for name in SHORT}
    is_cut = re.compile(r"(x{900,}|€{300,}).*…#[0-9a-f]{16}", re.DOTALL)
    long = [name for name in names if name not in short]
    return (
        len(names) == len(set(names)) == len(set(NAMES))
        and set(names) == short | set(long)
        and all(map(is_cut.fullmatch, long))
    )


def test_the_recording_has_every_name(recorded: Path) -> None:
    assert len(hostile_names()) == COUNT
    found = spans(recorded)
    assert sum(found.values()) == 3 * COUNT
    assert {name: found[name] for name in SHORT} == {
        name: 2 * count for name, count in Counter(NAMES).items() if name in SHORT
    }
    assert not any(map(is_long, found))


def test_chrome_s_json(recorded: Path) -> None:
    path = exported(recorded, "all.json")
    events = json.loads(path.read_bytes())["traceEvents"]
    assert Counter(event["name"] for event in events if event["ph"] == "X") == spans(recorded)
    names = [event["name"] for event in events if event["ph"] == "C"]
    assert metrics_are_named([name for name in names if name != "resident memory, bytes"], in_path)
    threads = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert threads >= THREADS | {"main thread"}
    assert "" not in threads
    assert has_nothing_hidden(path)
    assert "</script" not in path.read_text()


def test_perfetto_s_packets(recorded: Path) -> None:
    trace = trace_pb2.Trace()
    trace.ParseFromString(exported(recorded, "all.pftrace").read_bytes())
    names: dict[int, str] = {}
    found: Counter[str] = Counter()
    for packet in trace.packet:
        names |= {entry.iid: entry.name for entry in packet.interned_data.event_names}
        if packet.track_event.type == packet.track_event.TYPE_SLICE_BEGIN:
            found[names[packet.track_event.name_iid]] += 1
    assert found == spans(recorded)
    tracks = [p.track_descriptor for p in trace.packet if p.HasField("track_descriptor")]
    counters = [track.name for track in tracks if track.HasField("counter")]
    assert metrics_are_named([name for name in counters if name != "resident memory"], in_path)
    threads = {track.thread.thread_name or track.name for track in tracks}
    assert threads >= THREADS | {"main thread"}


def test_speedscope_s_json(recorded: Path) -> None:
    path = exported(recorded, "all.speedscope.json")
    whole = json.loads(path.read_bytes())
    frames = [frame["name"] for frame in whole["shared"]["frames"]]
    events = [event for profile in whole["profiles"] for event in profile["events"]]
    opened = Counter(frames[event["frame"]] for event in events if event["type"] == "O")
    closed = Counter(frames[event["frame"]] for event in events if event["type"] == "C")
    assert opened == closed == spans(recorded)
    lanes = {profile["name"].partition(" · ")[2] for profile in whole["profiles"]}
    assert lanes >= THREADS | {"main thread"}
    assert has_nothing_hidden(path)


def unescaped(name: str) -> str:
    """The inverse of what the format of collapsed stacks does to a name."""
    plain = {"\\": "\\", "n": "\n", "r": "\r", "t": "\t", "x3b": ";"}

    def one(found: re.Match[str]) -> str:
        return chr(int(found[2], 16)) if found[2] else plain[found[1]]

    return re.sub(r"\\(u\{([0-9a-f]+)\}|x3b|[\\nrt])", one, name)


def test_collapsed_stacks(recorded: Path) -> None:
    path = exported(recorded, "all.folded")
    found: Counter[str] = Counter()
    for line in path.read_text(encoding="utf-8").split("\n")[:-1]:
        stack, ns = line.rsplit(" ", 1)
        found[unescaped(stack.split(";")[-1])] += 1
        assert stack.startswith("all") or stack.count(";") == 0
        assert int(ns) > 0
    # The threads' laps are apart from those of the main thread.
    assert set(found) == set(spans(recorded))
    assert has_nothing_hidden(path)


def test_parquet_in_every_reader(recorded: Path) -> None:
    path = str(exported(recorded, "all.parquet"))
    ours = spans(recorded)
    frame = polars.read_parquet(path)
    assert Counter(frame["name"].to_list()) == ours
    assert set(frame["track_name"].drop_nulls()) == THREADS
    assert Counter(pandas.read_parquet(path)["name"]) == ours
    rows = duckdb.sql("select name from read_parquet($path)", params={"path": path}).fetchall()
    assert Counter(name for (name,) in rows) == ours
