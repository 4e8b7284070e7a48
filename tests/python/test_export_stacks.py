"""Sampled functions in exports, read back by other readers and compared with the report."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import pytest

import laptime as lt

pytest.importorskip("perfetto")
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as trace_pb2

PROGRAM = """
import time
import laptime as lt

def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass

def load():
    spin(0.4)

with lt.lap("step"):
    with lt.lap("data"):
        load()
    spin(0.3)
time.sleep(0.1)
with lt.lap("last"):
    pass
"""


def laptime(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "laptime", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True)


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stacks")
    (folder / "train.py").write_text(PROGRAM)
    laptime(folder, "run", "--stacks", "-o", "all.lap", "train.py")
    return folder / "all.lap"


def exported(recorded: Path, name: str) -> Path:
    path = recorded.with_name(name)
    lt.open(recorded).export(path)
    return path


def laps(recorded: Path) -> dict[str, dict[str, Any]]:
    functions = json.loads(lt.open(recorded).report().to_json())["functions"]
    return {lap["path"]: lap for lap in functions["laps"]}


def own(lap: dict[str, Any]) -> Counter[str]:
    """Own time by function; the import system's functions are one in an export."""
    times: Counter[str] = Counter()
    for one in lap["functions"]:
        is_import = one["file"].startswith("<frozen importlib._bootstrap")
        times["import" if is_import else one["name"]] += one["self_ns"]
    return +times


def shares(times: Counter[str]) -> dict[str, float]:
    return {name: ns / sum(times.values()) for name, ns in times.items()}


def test_collapsed_stacks_have_the_functions_of_each_lap(recorded: Path) -> None:
    found: dict[str, Counter[str]] = defaultdict(Counter)
    for line in exported(recorded, "all.folded").read_text().splitlines():
        names, _, ns = line.rpartition(" ")
        lap = [name for name in names.split(";") if " (" not in name]
        # While a package is imported, a report leaves collections in the import.
        frames = [name for name in names.split(";") if not name.startswith("garbage collection")]
        innermost = frames[-1]
        if " (" in innermost:
            found["/".join(lap)][innermost.rpartition(" (")[0]] += int(ns)
    told = laps(recorded)
    assert found["step/data"]["spin"] > 0
    for path in ("step/data", "step"):
        # An export has samples; a report brings them to the lap's measured time.
        assert shares(found[path]) == pytest.approx(shares(own(told[path])), abs=1e-6)
    for outside, path in (("startup", "startup"), ("outside of laps", "other")):
        # A sampler may be too late for a start this short.
        assert found[outside] == own(told.get(path, {"functions": []}))


def test_speedscope_s_samples_are_the_report_s(recorded: Path) -> None:
    whole = json.loads(exported(recorded, "all.speedscope.json").read_text())
    frames = whole["shared"]["frames"]
    profile = whole["profiles"][whole["activeProfileIndex"]]
    assert profile["type"] == "sampled"
    assert len(profile["samples"]) == len(profile["weights"])
    assert sum(profile["weights"]) == profile["endValue"]
    named = [[frames[frame]["name"] for frame in stack] for stack in profile["samples"]]
    in_data = [stack for stack in named if stack[:2] == ["step", "data"]]
    assert len(in_data) == laps(recorded)["step/data"]["sample_count"]
    assert ["step", "data", "<module>", "load", "spin"] in in_data
    files = {frame["file"] for frame in frames if frame["name"] == "spin"}
    assert [Path(file).name for file in files] == ["train.py"]


def functions(events: list[dict[str, Any]]) -> list[tuple[str, int]]:
    bars = (event for event in events if event.get("cat") == "function")
    return [(event["name"], event["args"]["samples"]) for event in bars]


def test_chrome_and_perfetto_have_the_same_bars_of_functions(recorded: Path) -> None:
    events = json.loads(exported(recorded, "all.json").read_text())["traceEvents"]
    bars = functions(events)
    names = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert "main thread · sampled functions" in names
    trace = trace_pb2.Trace()
    trace.ParseFromString(exported(recorded, "all.pftrace").read_bytes())
    lanes = {
        packet.track_descriptor.uuid
        for packet in trace.packet
        if packet.track_descriptor.name.endswith("· sampled functions")
    }
    interned: dict[int, str] = {}
    found: list[tuple[str, int]] = []
    open_bars: dict[int, list[str]] = defaultdict(list)
    for packet in trace.packet:
        for entry in packet.interned_data.event_names:
            interned[entry.iid] = entry.name
        event = packet.track_event
        if event.track_uuid not in lanes:
            continue
        if event.type == event.TYPE_SLICE_BEGIN:
            open_bars[event.track_uuid].append(interned[event.name_iid])
        else:
            notes = {note.name: note.uint_value for note in event.debug_annotations}
            found.append((open_bars[event.track_uuid].pop(), notes["samples"]))
    assert not any(open_bars.values())
    assert found == bars
    of_spin = sum(samples for name, samples in bars if name == "spin")
    told = laps(recorded)
    assert of_spin == sum(
        one["self_count"]
        for lap in told.values()
        for one in lap["functions"]
        if one["name"] == "spin"
    )
