"""`lt.reset()`: forgets what was recorded in memory so far, and nothing else."""

from __future__ import annotations

import asyncio
import os
import threading
from pathlib import Path
from typing import Any

import pytest

import laptime as lt


def spans(name: str, count: int = 1) -> None:
    for _ in range(count):
        with lt.lap(name):
            pass


def test_after_a_reset_a_report_holds_only_what_came_since(run: Any) -> None:
    code = """
import laptime as lt
for number in range(400_000):
    with lt.lap("before"):
        pass
lt.metric("loss before", 1.0)
lt.mark("mark before")
lt.reset()
report = lt.report()
assert not [path for path in report if report[path].count], str(report)
with lt.lap("since"):
    pass
lt.metric("loss since", 0.5)
report = lt.report()
assert "before" not in str(report), str(report)
assert report["since"].count == 1
assert report.wall_ns < 60_000_000_000
text = report.to_json()
assert "loss since" in text and "loss before" not in text
lt.reset()
lt.reset()
assert "since" not in lt.report()
"""
    run(code)


def test_laps_that_are_open_go_on() -> None:
    with lt.lap("open over a reset"):
        spans("inside, before")
        lt.reset()
        spans("inside, since", 3)
        inside = lt.report()
        assert inside["inside, since"].path == "open over a reset/inside, since"
        assert "inside, before" not in inside
    report = lt.report()
    assert report["open over a reset"].count == 1
    assert report["open over a reset/inside, since"].count == 3
    spans("and another")
    assert lt.report()["and another"].count == 1


@pytest.mark.interpreter
def test_a_reset_inside_a_task_is_a_reset_everywhere() -> None:
    async def forget() -> None:
        async with lt.lap("task"):
            spans("in the task, before")
            lt.reset()
            spans("in the task, since")

    spans("outside, before")
    asyncio.run(forget())
    report = lt.report()
    assert report["task/in the task, since"].count == 1
    assert report["task"].count == 1
    assert "outside, before" not in report
    assert "in the task, before" not in report


def test_other_threads_record_on_while_one_resets() -> None:
    stop = threading.Event()
    recorded = [0, 0, 0]

    def work(number: int) -> None:
        while not stop.is_set():
            spans(f"thread {number}")
            recorded[number] += 1

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(50):
            lt.reset()
            lt.report()
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    report = lt.report()
    for number in range(3):
        found = report.find(f"thread {number}")
        assert sum(span.count or 0 for span in found) <= recorded[number]
    lt.reset()
    spans("after all threads")
    assert lt.report()["after all threads"].count == 1
    assert not lt.report().find("thread *")


@pytest.mark.interpreter
def test_what_an_ended_thread_recorded_is_forgotten_and_its_room_used_again() -> None:
    def work(name: str) -> None:
        spans(name, 5)

    for name in ("ended before", "ended since"):
        thread = threading.Thread(target=work, args=(name,))
        thread.start()
        thread.join()
        if name == "ended before":
            lt.reset()
    report = lt.report()
    assert "ended before" not in report
    assert report["ended since"].count == 5


def test_a_recording_on_disk_is_not_touched(recording: Path) -> None:
    with lt.record(recording):
        spans("on disk, before", 100_000)
        lt.reset()
        spans("on disk, since", 10)
        assert "on disk, before" not in lt.report()
        assert lt.report()["on disk, since"].count == 10
    assert "on disk, before" not in lt.report()
    report = lt.open(recording).report()
    assert report["on disk, before"].count == 100_000
    assert report["on disk, since"].count == 10


@pytest.mark.interpreter
def test_a_forked_child_resets_its_own() -> None:
    spans("of the parent")
    lt.reset()
    spans("kept by the parent")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            spans("of the child, before")
            lt.reset()
            spans("of the child, since")
            report = lt.report()
            good = report["of the child, since"].count == 1 and "before" not in str(report)
            status = 0 if good else 2
        finally:
            os._exit(status)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert lt.report()["kept by the parent"].count == 1


def test_a_reset_while_laptime_is_off_is_fine(run: Any) -> None:
    code = """
import laptime as lt
with lt.lap("before"):
    pass
lt.disable()
lt.reset()
assert "before" not in lt.report()
lt.enable()
with lt.lap("since"):
    pass
assert lt.report()["since"].count == 1
"""
    run(code)
