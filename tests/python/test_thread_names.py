"""Threads have the names that Python gives them, and the laps that run in them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import laptime as lt

pytestmark = pytest.mark.interpreter


def events(path: Path, kind: str) -> list[dict[str, Any]]:
    """What a timeline of a recording has of one kind."""
    trace = path.with_suffix(".json")
    lt.open(path).export(trace)
    found = json.loads(trace.read_text())["traceEvents"]
    return [event for event in found if event["ph"] == kind]


def tracks(path: Path) -> dict[str, list[dict[str, Any]]]:
    """The tracks of a recording by name; tasks of other tests may be among them still."""
    named: dict[str, list[dict[str, Any]]] = {}
    for event in events(path, "M"):
        if event["name"] == "thread_name":
            named.setdefault(event["args"]["name"], []).append(event)
    return named


def work(seconds: float = 0.0) -> None:
    end = time.perf_counter() + seconds
    with lt.lap("work"):
        while time.perf_counter() < end:
            pass


def test_a_thread_has_its_name_and_the_main_thread_none(recording: Path) -> None:
    with lt.record(recording), lt.lap("main"):
        thread = threading.Thread(target=work, name="loader")
        thread.start()
        thread.join()
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    # Threads of libraries that other tests imported may be there, too.
    assert {"main thread", "loader", thread.name} <= set(tracks(recording))


def test_a_thread_from_before_the_recording_is_named_and_sampled(recording: Path) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def early() -> None:
        work()
        begun.set()
        go_on.wait()
        work(1.2)

    thread = threading.Thread(target=early, name="early")
    thread.start()
    begun.wait()
    with lt.record(recording, stacks=True):
        go_on.set()
        thread.join()
    # The system's id of it is what joins its samples with its name.
    assert {"early", "early · sampled functions"} <= set(tracks(recording))
    functions = json.loads(lt.open(recording).report().to_json())["functions"]
    (lap,) = [lap for lap in functions["laps"] if lap["path"] == "work"]
    assert lap["sample_count"] > 0


def test_a_forked_child_keeps_the_name_of_the_thread_that_forked(recording: Path) -> None:
    def forks() -> None:
        work()
        child = os.fork()
        if child == 0:
            with lt.lap("child"):
                pass
            os._exit(0)
        os.waitpid(child, 0)

    with lt.record(recording):
        thread = threading.Thread(target=forks, name="forks")
        thread.start()
        thread.join()
    assert len({event["pid"] for event in tracks(recording)["forks"]}) == 2


def test_a_long_name_is_cut_between_characters(recording: Path) -> None:
    with lt.record(recording):
        thread = threading.Thread(target=work, name="€" * 300)
        thread.start()
        thread.join()
    assert "€" * 85 in tracks(recording)


def test_a_lap_is_on_the_track_of_the_thread_that_it_ran_in(recording: Path) -> None:
    with lt.record(recording), lt.lap("main"):
        thread = threading.Thread(target=work, name="worker")
        thread.start()
        thread.join()
    (ran,) = (event for event in events(recording, "X") if event["name"] == "work")
    (worker,) = tracks(recording)["worker"]
    assert ran["tid"] == worker["tid"]


INHERITING = """
import asyncio, threading
import laptime as lt

def work(name):
    with lt.lap(name):
        pass

def start(name):
    thread = threading.Thread(target=work, args=(name,))
    thread.start()
    thread.join()

async def main():
    with lt.lap("task"):
        start("of a task")

with lt.lap("main"):
    start("of main")
    asyncio.run(main())
print(*sorted(path for path in lt.report() if " of " in f" {path.rpartition('/')[2]} "), sep=",")
"""


@pytest.mark.skipif(sys.version_info < (3, 14), reason="threads inherit contexts from 3.14 on")
@pytest.mark.parametrize("inherits", [0, 1])
def test_a_thread_that_has_the_context_of_a_task_is_in_the_laps_of_that(inherits: int) -> None:
    done = subprocess.run(
        [sys.executable, "-X", f"thread_inherit_context={inherits}", "-c", INHERITING],
        capture_output=True,
        text=True,
        check=True,
    )
    of_task = "main/task/of a task" if inherits else "of a task"
    assert done.stdout == f"{','.join(sorted(['of main', of_task]))}\n"
