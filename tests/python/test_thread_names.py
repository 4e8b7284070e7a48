"""Threads have the names that Python gives them."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import laptime as lt

pytestmark = pytest.mark.interpreter


def threads(path: Path) -> list[dict[str, Any]]:
    """What a recording says of threads."""
    lines = path.with_suffix(".jsonl")
    lt.open(path).export(lines)
    found = [json.loads(line) for line in lines.read_text().splitlines()]
    # Tasks of other tests may be there still.
    return [line for line in found if line["type"] == "track" and line["kind"] == "thread"]


def tracks(path: Path) -> dict[str | None, dict[str, Any]]:
    """The threads of a recording by name."""
    return {line["name"]: line for line in threads(path)}


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
    # Threads of libraries that other tests imported may be there, too.
    assert {None, "loader", thread.name} <= set(found)
    assert found["loader"]["thread"] not in {0, os.getpid()}
    assert [line["name"] for line in threads(recording) if line["thread"] == os.getpid()] == [None]


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
    named = [line for line in threads(recording) if line["name"] == "forks"]
    assert len({line["pid"] for line in named}) == 2
    assert all(line["thread"] > 0 for line in named)


def test_a_long_name_is_cut_between_characters(recording: Path) -> None:
    with lt.record(recording):
        thread = threading.Thread(target=work, name="€" * 300)
        thread.start()
        thread.join()
    assert "€" * 85 in tracks(recording)
