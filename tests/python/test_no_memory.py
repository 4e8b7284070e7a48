"""A program that has used up its memory gets a `MemoryError` of Laptime, or nothing.

Never a panic, and never its end. Nothing is printed, and the recording goes on.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import laptime as lt

SWEEP = Path(__file__).with_name("failing_allocations.py")

pytestmark = pytest.mark.interpreter


@pytest.mark.parametrize("fail", ["one", "all"])
def test_every_entry_survives_an_allocation_that_fails_at_every_place(
    fail: str, tmp_path: Path
) -> None:
    pytest.importorskip("_testcapi")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", SWEEP, fail],
        cwd=tmp_path,
        env={"PATH": "", "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    *trouble, count = done.stdout.splitlines()
    assert not trouble, "\n".join(trouble)
    assert int(count.split()[0]) > 100


LAPS = """
import laptime as lt
from _testcapi import remove_mem_hooks, set_nomemory

def work():
    return 42

made = []
for at in range(30):
    name = f"lap {at}"
    set_nomemory(at, at + 1)
    try:
        handle, function = lt.lap(name), lt.lap(work)
    finally:
        remove_mem_hooks()
    with handle as inside:
        made.append(isinstance(handle, lt.Lap) and inside is handle and handle(work)() == 42)
    made.append(function() == 42)
print(all(made), "lap" in set(lt.report()), "lap 29" in set(lt.report()))
"""


def test_a_lap_that_there_is_no_memory_for_records_nothing(run: Any) -> None:
    pytest.importorskip("_testcapi")
    done = run(LAPS)
    assert done.stdout == "True False True\n", done.stdout
    assert done.stderr == ""


LIMITED = """
import os, resource, sys
import laptime as lt

with lt.record("many.lap"):
    for number in range(3_000):
        with lt.lap(f"name {number}"):
            pass
timer = lt.Timer()
for _ in range(300_000):
    timer.start("a")
    timer.stop("a")
questions = {
    "report": lambda: str(lt.open("many.lap").report()),
    "live": lambda: str(lt.report()),
    "compare": lambda: str(lt.compare("many.lap", "many.lap")),
    "history": lambda: timer.history("a"),
    "summary": lambda: str(timer.summary()),
}
for question in questions.values():
    question()
for name, question in questions.items():
    answers = []
    for megabytes in (0, 1, 2, 4, 8, 16, 400):
        child = os.fork()
        if child == 0:
            with open("/proc/self/statm") as statm:
                used = int(statm.read().split()[0]) * resource.getpagesize()
            limit = used + megabytes * 2**20
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            try:
                question()
            except MemoryError:
                os._exit(1)
            os._exit(0)
        answers.append(os.waitpid(child, 0)[1])
    print(name, *("ok" if it == 0 else "MemoryError" if it == 256 else it for it in answers))
"""


def test_a_question_that_takes_more_memory_than_there_is_is_a_memory_error(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(LIMITED)
    assert done.stderr == ""
    for line in done.stdout.splitlines():
        answers = line.split()[1:]
        assert set(answers) <= {"ok", "MemoryError"}, line
        assert answers[-1] == "ok", line
    assert "report MemoryError" in done.stdout


def test_what_answers_nothing_answers_none() -> None:
    timer = lt.Timer()
    assert lt.mark("here") is None
    assert lt.metric("loss", 1.0) is None
    assert lt.enable() is None
    assert timer.clear() is None
