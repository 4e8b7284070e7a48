"""Functions that laps are in, sampled from outside."""

from __future__ import annotations

import asyncio
import json
import math
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import laptime as lt


def hot(seconds: float) -> int:
    count, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        count += 1
    return count


def warm(seconds: float) -> int:
    count, end = 0, time.perf_counter() + seconds
    while time.perf_counter() < end:
        count += 1
    return count


def functions(path: Path) -> dict[str, Any]:
    return json.loads(lt.open(path).report().to_json())["functions"]


def lap(path: Path, name: str) -> dict[str, Any]:
    laps = functions(path)["laps"]
    return next(lap for lap in laps if lap["path"] == name)


def own_shares(lap: dict[str, Any]) -> dict[str, float]:
    own: dict[str, float] = {}
    for one in lap["functions"]:
        own[one["name"]] = own.get(one["name"], 0) + one["self_ns"] / lap["total_ns"]
    return own


def test_shares_of_functions_are_those_of_their_time(tmp_path: Path) -> None:
    with lt.record(tmp_path / "r.lap", stacks=True) as recording:
        spent = {"hot": 0.0, "warm": 0.0}
        for _ in range(12):
            with lt.lap("work"):
                for function, seconds in ((hot, 0.21), (warm, 0.07)):
                    began = time.perf_counter()
                    function(seconds)
                    spent[function.__name__] += time.perf_counter() - began
    work = lap(recording.path, "work")
    true = spent["hot"] / sum(spent.values())
    # Six standard errors: one run in a hundred million.
    error = 6 * math.sqrt(true * (1 - true) / work["sample_count"])
    assert abs(own_shares(work)["hot"] - true) <= error + 0.02
    assert work["sample_count"] >= 20
    first = hot.__code__.co_firstlineno
    lines = {line["line"] for line in work["functions"][0]["lines"]}
    assert lines
    assert lines <= set(range(first, first + 5))


def test_threads_that_wait_are_told_from_those_that_run(tmp_path: Path) -> None:
    done = threading.Event()

    def waits() -> None:
        with lt.lap("waits"):
            done.wait()

    with lt.record(tmp_path / "r.lap", stacks=True) as recording:
        thread = threading.Thread(target=waits)
        thread.start()
        with lt.lap("runs"):
            hot(1.5)
        done.set()
        thread.join()
    waiting, running = lap(recording.path, "waits"), lap(recording.path, "runs")
    assert waiting["waiting_ns"] >= 0.9 * waiting["total_ns"]
    assert running["waiting_ns"] <= 0.5 * running["total_ns"]
    assert running["functions"][0]["name"] == "hot"


def test_forked_children_are_sampled_too(tmp_path: Path) -> None:
    program = """
import os, sys, time
import laptime as lt
with lt.record(sys.argv[1], stacks=True):
    child = os.fork()
    end = time.perf_counter() + 1.2
    with lt.lap("child" if child == 0 else "parent"):
        while time.perf_counter() < end:
            pass
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
"""
    path = tmp_path / "r.lap"
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)
    assert lap(path, "parent")["sample_count"] > 5
    assert lap(path, "child")["sample_count"] > 5


def test_a_task_that_outlives_a_recording_is_known_in_the_next(tmp_path: Path) -> None:
    async def cells() -> list[Path]:
        paths = []
        for number in range(2):
            with lt.record(tmp_path / f"{number}.lap", stacks=True) as recording:
                with lt.lap("work"):
                    hot(0.6)
            paths.append(recording.path)
        return paths

    for path in asyncio.run(cells()):
        assert lap(path, "work")["functions"][0]["name"] == "hot"


def test_forked_children_without_laps_are_sampled_too(tmp_path: Path) -> None:
    program = """
import os, sys, time
import laptime as lt
def in_child():
    end = time.perf_counter() + 1.2
    while time.perf_counter() < end:
        pass
with lt.record(sys.argv[1], stacks=True):
    child = os.fork()
    if child == 0:
        in_child()
        os._exit(0)
    os.waitpid(child, 0)
"""
    path = tmp_path / "r.lap"
    subprocess.run([sys.executable, "-c", program, str(path)], check=True)
    assert '"in_child"' in json.dumps(functions(path))


def test_a_process_whose_first_thread_is_gone_ends_with_its_last(tmp_path: Path) -> None:
    program = """
import ctypes, sys, threading, time
import laptime as lt
lt.record(sys.argv[1], stacks=True)
def works():
    with lt.lap("works"):
        time.sleep(0.7)
threading.Thread(target=works).start()
time.sleep(0.3)  # sampling goes on by then
ctypes.CDLL(None).pthread_exit(None)
"""
    path = tmp_path / "r.lap"
    subprocess.run([sys.executable, "-c", program, str(path)], timeout=60)
    assert lt.open(path).report()["works"].count == 1


def test_without_being_asked_nothing_is_sampled(tmp_path: Path) -> None:
    with lt.record(tmp_path / "sampled.lap", stacks=True) as sampled, lt.lap("x"):
        hot(0.1)
    with lt.record(tmp_path / "plain.lap") as plain, lt.lap("x"):
        hot(0.1)
    assert "functions" not in json.loads(lt.open(plain.path).report().to_json())
    assert functions(sampled.path)["sample_count"] > 0


def test_the_command_tells_imports_and_functions(tmp_path: Path) -> None:
    (tmp_path / "slow_module.py").write_text(
        "import time\nend = time.perf_counter() + 1.5\nwhile time.perf_counter() < end: pass\n"
    )
    (tmp_path / "train.py").write_text(
        "import slow_module\nimport laptime as lt\n"
        "with lt.lap('x'): sum(range(10))\nprint('done')\n"
    )
    laptime = [sys.executable, "-m", "laptime"]
    run = [*laptime, "run", "--stacks", "-o", "r.lap", "train.py"]
    ran = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert ran.stdout == "done\n"
    assert "import slow_module 1." in ran.stderr
    assert ran.stderr.rstrip().endswith("next: laptime report r.lap --functions")
    told = subprocess.run(
        [*laptime, "report", "r.lap", "--functions"], cwd=tmp_path, capture_output=True, text=True
    )
    assert "<module> slow_module.py:3" in told.stdout
    page = subprocess.run([*laptime, "report", "r.lap", "-o", "r.html"], cwd=tmp_path)
    assert page.returncode == 0
    assert '<svg class="flame"' in (tmp_path / "r.html").read_text()


def test_a_program_sees_no_file_of_the_sampler(tmp_path: Path) -> None:
    with lt.record(tmp_path / "r.lap", stacks=True):
        hot(0.2)
        expected = os.open(os.devnull, os.O_RDONLY)
        os.close(expected)
        for _ in range(20_000):
            number = os.open(os.devnull, os.O_RDONLY)
            os.close(number)
            assert number == expected


def test_a_recursion_of_thousands_and_many_threads_hurt_nobody(tmp_path: Path) -> None:
    def deep(levels: int) -> int:
        return hot(0.5) if levels == 0 else deep(levels - 1)

    stop = threading.Event()
    threads = [threading.Thread(target=stop.wait) for _ in range(200)]
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(10_000)
    try:
        with lt.record(tmp_path / "r.lap", stacks=True) as recording:
            with lt.lap("deep"):
                assert deep(3_000) > 0
            for thread in threads:
                thread.start()
            with lt.lap("many"):
                hot(0.5)
            stop.set()
            for thread in threads:
                thread.join()
    finally:
        sys.setrecursionlimit(before)
    assert lt.open(recording.path).report()["many"].count == 1
