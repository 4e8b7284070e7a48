"""Killed at any moment, itself or its launcher: a program's finished laps are in the recording.

And no process of it is left. `LAPTIME_TEST_FAULTS=all` kills a thousand times.
"""

from __future__ import annotations

import mmap
import os
import random
import signal
import subprocess
import time
from pathlib import Path

import pytest
from launched import LAPTIME, count, summary

pytestmark = pytest.mark.interpreter

PROGRAM = """
import mmap, os, sys, threading
import laptime as lt

shared = mmap.mmap(os.open("done", os.O_RDWR), 64)

def work(slot):
    done = 0
    while True:
        with lt.lap("work"):
            with lt.lap("inner"):
                pass
            if sys.argv[1] == "names":
                with lt.lap(f"name {done % 5000}"):
                    pass
        done += 1
        shared[8 * slot : 8 * slot + 8] = done.to_bytes(8, "little")

def begin():
    # Its number tells that laps begin.
    shared[0:8] = os.getpid().to_bytes(8, "little")
    work(2)

for slot in (3, 4):
    if sys.argv[1] == "threads":
        threading.Thread(target=work, args=(slot,), daemon=True).start()
if sys.argv[1] == "child":
    child = os.fork()
    if child == 0:
        work(5)
    shared[8:16] = child.to_bytes(8, "little")
begin()
"""

KILLS = 1_000 if os.environ.get("LAPTIME_TEST_FAULTS") == "all" else 16
ENDS = (
    signal.SIGKILL,
    signal.SIGKILL,
    signal.SIGTERM,
    signal.SIGINT,
    signal.SIGHUP,
    signal.SIGXCPU,
)


def numbers(shared: mmap.mmap) -> list[int]:
    return [int.from_bytes(shared[at : at + 8], "little") for at in range(0, 64, 8)]


def is_there(process: int) -> bool:
    try:
        stat = Path(f"/proc/{process}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def wait_until_gone(process: int) -> bool:
    end = time.monotonic() + 20
    while is_there(process) and time.monotonic() < end:
        time.sleep(0.002)
    return not is_there(process)


def kill_once(folder: Path, dice: random.Random) -> None:
    folder.mkdir()
    (folder / "program.py").write_text(PROGRAM)
    (folder / "done").write_bytes(bytes(64))
    kind = dice.choice(("plain", "names", "threads", "child"))
    with (folder / "done").open("r+b") as file, mmap.mmap(file.fileno(), 64) as shared:
        launcher = subprocess.Popen(
            [*LAPTIME, "run", "-o", "program.lap", "--", "program.py", kind],
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        end = time.monotonic() + 60
        # A child that begins when the launcher is gone joins nothing.
        while not (numbers(shared)[0] and (kind != "child" or numbers(shared)[5])):
            assert time.monotonic() < end
            time.sleep(0.002)
        time.sleep(dice.random() ** 3 * 0.5)
        program, child = numbers(shared)[:2]
        assert program, launcher.communicate()
        victim = dice.choice((program, launcher.pid, launcher.pid))
        number = dice.choice(ENDS)
        case = f"{kind}: {number.name} to the {'program' if victim == program else 'launcher'}"
        os.kill(victim, number)
        assert wait_until_gone(program), case
        if child:
            # Nobody kills it alone either.
            os.kill(child, signal.SIGKILL)
            assert wait_until_gone(child), case
        launcher.communicate()
        done = numbers(shared)[2:]
    assert launcher.returncode == -number, case
    found = count(summary(folder / "program.lap"), "work")
    if number == signal.SIGINT and kind == "threads":
        # The interpreter ends regularly, and daemon threads go on behind the recording's end.
        done[1:3] = [0, 0]
    else:
        assert found <= sum(done) + 4, case
    assert sum(done) <= found, case


@pytest.mark.timeout(60 + 6 * KILLS)
def test_a_kill_loses_nothing_and_leaves_nobody(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(10**6)
    print("seed", seed)
    dice = random.Random(seed)
    for number in range(KILLS):
        kill_once(tmp_path / str(number), dice)
