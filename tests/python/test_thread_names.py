"""Threads have the names that Python gives them."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import laptime as lt


def tracks(path: Path) -> dict[str | None, dict[str, Any]]:
    """The threads of a recording by name."""
    lines = path.with_suffix(".jsonl")
    lt.open(path).export(lines)
    found = [json.loads(line) for line in lines.read_text().splitlines()]
    # Tasks of other tests may be there still.
    is_thread = [line for line in found if line["type"] == "track" and line["kind"] == "thread"]
    return {line["name"]: line for line in is_thread}


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
    found = tracks(recording)
    assert set(found) == {None, "loader", thread.name}
    assert found["loader"]["thread"] == found["loader"]["thread"] != os.getpid()
    assert found[None]["thread"] == os.getpid()


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
    assert tracks(recording)["early"]["thread"] == thread.native_id
    functions = json.loads(lt.open(recording).report().to_json())["functions"]
    (lap,) = [lap for lap in functions["laps"] if lap["path"] == "work"]
    assert lap["sample_count"] > 5


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
    lines = recording.with_suffix(".jsonl")
    lt.open(recording).export(lines)
    found = [json.loads(line) for line in lines.read_text().splitlines()]
    named = [line for line in found if line["type"] == "track" and line["name"] == "forks"]
    assert len({line["pid"] for line in named}) == 2
    assert all(line["thread"] > 0 for line in named)


def test_a_long_name_is_cut_between_characters(recording: Path) -> None:
    with lt.record(recording):
        thread = threading.Thread(target=work, name="€" * 300)
        thread.start()
        thread.join()
    assert "€" * 85 in tracks(recording)
