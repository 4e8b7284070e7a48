"""Garbage collection, told apart from the functions that it happens to begin in."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import laptime as lt

#: Makes objects that refer to each other, and prints the collector's share by its callbacks.
PROGRAM = """
import gc
import sys
import time

took = []


def note(phase, _):
    took.append(time.perf_counter() * (-1 if phase == "start" else 1))


class Node:
    def __init__(self, others):
        self.others = others
        self.me = self


def grow(kept):
    for _ in range(1_000):
        kept.append(Node([None]))


def main(ways):
    if "off" in ways:
        gc.disable()
    else:
        gc.set_threshold(500, 2, 2)
    gc.callbacks.append(note)
    if "rebind" in ways:
        gc.callbacks, gc.garbage = [], []
    kept, began = [], time.perf_counter()
    while time.perf_counter() - began < 4:
        grow(kept)
        if len(kept) > 200_000:
            kept.clear()
        if "explicit" in ways:
            gc.collect()
    print(sum(took) / (time.perf_counter() - began))


main(sys.argv[1:])
"""


def run(folder: Path, *ways: str) -> tuple[float, dict[str, Any], str]:
    """The collector's share by its callbacks, the report, and what is printed of the run."""
    (folder / "grow.py").write_text(PROGRAM)
    done = subprocess.run(
        [sys.executable, "-m", "laptime", "run", "-o", "r.lap", "grow.py", *ways],
        cwd=folder,
        env={**os.environ, "COLUMNS": "100"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    report = json.loads(lt.open(folder / "r.lap").report().to_json())
    return float(done.stdout.split()[0]), report, done.stderr


def program(report: dict[str, Any]) -> dict[str, Any]:
    """All of the program's functions: it has no laps."""
    (lap,) = (one for one in report["functions"]["laps"] if one["path"] == "program")
    return lap


def findings(report: dict[str, Any]) -> list[dict[str, Any]]:
    return [one for one in report["findings"] if one["kind"] == "garbage-collection"]


@pytest.mark.interpreter
@pytest.mark.parametrize("ways", [(), ("rebind",)], ids=["plain", "rebound"])
def test_its_share_is_that_of_the_collectors_own_callbacks(
    ways: tuple[str, ...], tmp_path: Path
) -> None:
    true, report, screen = run(tmp_path, *ways)
    lap = program(report)
    collected = sum(one["total_ns"] for one in lap["collections"])
    # Six standard errors, and what Python takes to start.
    error = 6 * math.sqrt(true * (1 - true) / lap["sample_count"]) + 0.05
    assert abs(collected / lap["total_ns"] - true) <= error, (true, lap["collections"])
    (found,) = findings(report)
    assert found["evidence"]["total_ns"] == collected
    assert "% garbage collection" in screen.splitlines()[1], screen
    named = {one["name"]: one for one in lap["functions"]}
    assert named["garbage collection"]["self_ns"] == collected
    assert named["main"]["total_ns"] <= lap["total_ns"] - collected


@pytest.mark.interpreter
def test_a_program_without_it_is_not_accused(tmp_path: Path) -> None:
    _, report, screen = run(tmp_path, "off")
    assert "collections" not in program(report)
    assert not findings(report)
    assert "garbage" not in screen


@pytest.mark.interpreter
def test_the_line_that_asks_for_it_is_named(tmp_path: Path) -> None:
    _, report, screen = run(tmp_path, "off", "explicit")
    line = 1 + PROGRAM.splitlines().index("            gc.collect()")
    (found,) = findings(report)
    assert found["evidence"]["place"] == {"file": "grow.py", "line": line}
    assert f"garbage collection (grow.py:{line})" in screen.splitlines()[1], screen


#: A collection drops an object that sleeps meanwhile, and lets another thread work.
WAITS = """
import gc
import threading
import time


class Slow:
    def __init__(self):
        self.me = self

    def __del__(self):
        time.sleep(2)


def work():
    end = time.monotonic() + 3
    while time.monotonic() < end:
        pass


thread = threading.Thread(target=work)
thread.start()
Slow()
gc.collect()
thread.join()
"""


@pytest.mark.interpreter
def test_a_thread_that_works_while_a_collection_waits_collects_nothing(tmp_path: Path) -> None:
    (tmp_path / "waits.py").write_text(WAITS)
    subprocess.run(
        [sys.executable, "-m", "laptime", "run", "-o", "r.lap", "waits.py"],
        cwd=tmp_path,
        capture_output=True,
        check=True,
        timeout=300,
    )
    report = json.loads(lt.open(tmp_path / "r.lap").report().to_json())
    assert not findings(report)
    laps = report["functions"]["laps"]
    collected = sum(one["total_ns"] for lap in laps for one in lap.get("collections", []))
    # It may be seen as it begins or ends, and not for the two seconds.
    assert collected < 0.5e9
