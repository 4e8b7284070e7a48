"""Findings with sampled functions: where memory grows, what is waited for, what blocks a loop.

A program whose memory grows runs for six seconds, as only growth that lasts is told.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

import laptime as lt

# What is kept follows the clock alone, so that a busy machine changes nothing.
GROWS = """
import time

kept = []

def parse():
    return sum(range(20_000))

def pause(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        parse()

def load_all():
    LOADS

began = time.monotonic()
while time.monotonic() < began + 7:
    pause(0.1)
    load_all()
"""

# Long beside the time between two samples, also where a busy machine takes few.
SLOWLY = """
    began, before = time.monotonic(), len(kept)
    while time.monotonic() < began + 0.9:
        sum(range(2_000))
        while len(kept) < before + 100 * (time.monotonic() - began):
            kept.append(bytearray(200_000))
"""

IN_MOMENTS = """
    while len(kept) < 100 * (time.monotonic() - began):
        kept.append(bytearray(200_000))
"""

WAITED_FOR = """
import threading, time

def work():
    end = time.monotonic() + 2
    while time.monotonic() < end:
        sum(range(1_000))

threading.Thread(target=work).start()
"""

POOL = """
import concurrent.futures, time

def fetch(number):
    time.sleep(0.2)

pool = concurrent.futures.ThreadPoolExecutor(2)
for number in range(20):
    pool.submit(fetch, number)
"""

JOINED = """
import threading, time

def work():
    end = time.monotonic() + 2
    while time.monotonic() < end:
        sum(range(1_000))

thread = threading.Thread(target=work)
thread.start()
thread.join()
"""

LOOP = """
import asyncio, time
import laptime as lt

def busy(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass

# When turns of the login's began and ended: before and after each time that it gave one.
turns = []

async def give_turn(seconds):
    turns.append(time.monotonic_ns())
    await asyncio.sleep(seconds)
    turns.append(time.monotonic_ns())

async def block():
    if HOW == "computes":
        busy(0.6)
    elif HOW == "sleeps":
        time.sleep(0.6)
    else:
        # As much, but others have their turn every 5 ms.
        for _ in range(60):
            busy(0.005)
            await give_turn(0)

async def login():
    global over
    for _ in range(4):
        with lt.lap("login"):
            await give_turn(0.01)
            await block()
    await give_turn(0)
    over = True

over = False

async def item():
    while not over:
        with lt.lap("item"):
            await asyncio.sleep(0.05)

async def main():
    await asyncio.gather(login(), *(item() for _ in range(3)))

asyncio.run(main())
# A turn lies between the one before and the one after it.
at_most = [after - before for before, after in zip(turns[::2], turns[3::2])]
with open(__file__ + ".turns", "w") as file:
    file.write(str(sum(one for one in at_most if one >= 20_000_000)))
"""


def run(folder: Path, script: str, *options: str) -> lt.Recording:
    """Runs a script with its stacks sampled."""
    (folder / "script.py").write_text(script)
    command = [sys.executable, "-m", "laptime", "run", "-o", str(folder / "run.lap"), *options]
    done = subprocess.run([*command, str(folder / "script.py")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return lt.open(folder / "run.lap")


def told(recording: lt.Recording, word: str) -> list[str]:
    """Its findings with a word in them."""
    return [one.text for one in recording.report().findings if word in one.text]


def only(recording: lt.Recording, word: str) -> str:
    """The one finding with a word in it."""
    found = told(recording, word)
    assert len(found) == 1, recording.report()
    return found[0]


def test_memory_that_grows_is_told_with_the_function_that_mostly_runs_then(tmp_path: Path) -> None:
    script = GROWS.replace("LOADS", SLOWLY).replace("pause(0.1)", "pause(0.3)")
    report = run(tmp_path, script, "--memory")
    growth = only(report, "Memory grows all the time")
    assert growth.startswith("script.py:1"), growth
    assert "while `load_all` ran" in growth, growth


def test_memory_that_grows_in_moments_is_said_to_grow_in_no_other_function(tmp_path: Path) -> None:
    report = run(tmp_path, GROWS.replace("LOADS", IN_MOMENTS), "--memory")
    for growth in told(report, "Memory grows all the time"):
        assert not re.search(r"while `(parse|pause)` ran", growth), growth
        if "computed mostly in" in growth:
            assert "or take turns with it" in growth, growth


def test_memory_that_grows_without_samples_says_what_to_run(tmp_path: Path) -> None:
    growth = only(
        run(tmp_path, GROWS.replace("LOADS", IN_MOMENTS), "--memory", "--no-stacks"),
        "Memory grows all the time",
    )
    assert "`laptime run --memory SCRIPT` samples functions and names this one" in growth


@pytest.mark.interpreter
@pytest.mark.parametrize(("script", "function"), [(WAITED_FOR, "work"), (POOL, "fetch")])
def test_a_wait_for_threads_at_the_end_says_so(tmp_path: Path, script: str, function: str) -> None:
    recording = run(tmp_path, script)
    wait = only(recording, "for its threads to end")
    assert wait.startswith("script.py:"), wait
    assert f"Meanwhile these were mostly in `{function}`" in wait, wait
    # The threads' own work is what the time went by with.
    assert f" {function} (script.py:" in recording.report().headline


def test_threads_that_are_joined_are_no_wait_at_the_end(tmp_path: Path) -> None:
    assert told(run(tmp_path, JOINED), "threads") == []


@pytest.mark.parametrize("how", ["computes", "sleeps"])
def test_a_lap_that_awaits_and_blocks_the_loop_is_told_by_samples(tmp_path: Path, how: str) -> None:
    script = LOOP.replace("HOW", repr(how))
    blocks = only(run(tmp_path, script), "blocks the event loop")
    said = re.match(
        r"login blocks the event loop: for at least .*samples saw it (\d) times?", blocks
    )
    assert said, blocks
    # Where the machine is busy few samples are taken, and none of a block tells nothing of it.
    assert 1 <= int(said[1]) <= 4, blocks


def test_a_lap_that_gives_turns_while_it_computes_is_not_told(tmp_path: Path) -> None:
    recording = run(tmp_path, LOOP.replace("HOW", "'yields'"))
    findings = recording.report().findings
    held = [one.evidence for one in findings if one.kind == "held-loop"]
    held = [one for one in held if one["path"] == "login"]
    # Where another program had the CPU amid a turn, that was a long one for all who waited.
    long_ns = int((tmp_path / "script.py.turns").read_text())
    assert sum(one["total_ns"] for one in held) <= long_ns
