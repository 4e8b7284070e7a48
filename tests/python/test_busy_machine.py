"""A machine that others use: the report tells it from a program that has not settled."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

import laptime as lt

PROGRAM = """
    import os, sys, time
    import laptime as lt

    os.sched_setaffinity(0, {int(sys.argv[1])})
    with lt.record(sys.argv[2]):
        for _ in range(60):
            with lt.lap("step"):
                until = time.thread_time() + 0.01
                while time.thread_time() < until:
                    pass
"""


def counts_delay() -> bool:
    try:
        ran, _, turns = Path("/proc/self/schedstat").read_text().split()
    except OSError:
        return False
    return int(ran) > 0 and int(turns) > 0


@pytest.fixture
def crowded() -> Iterator[int]:
    """A CPU on which two other programs run all the time."""
    cpu = min(os.sched_getaffinity(0))
    code = f"import os; os.sched_setaffinity(0, {{{cpu}}}); print(flush=True)\nwhile True: pass"
    others = [
        subprocess.Popen([sys.executable, "-S", "-c", code], stdout=subprocess.PIPE)
        for _ in range(2)
    ]
    try:
        for other in others:
            assert other.stdout is not None
            other.stdout.readline()
        yield cpu
    finally:
        for other in others:
            other.kill()
            other.communicate()


@pytest.mark.skipif(not counts_delay(), reason="this kernel does not count run delay")
def test_steps_beside_busy_programs_are_said_to_have_waited_for_a_cpu(
    crowded: int, tmp_path: Path
) -> None:
    recording = tmp_path / "busy.lap"
    code = textwrap.dedent(PROGRAM)
    subprocess.run([sys.executable, "-c", code, str(crowded), str(recording)], check=True)
    steady = json.loads(lt.open(recording).report().to_json())["steady"]
    [doubt] = steady["warnings"]
    assert "busy" in doubt["message"], doubt
    assert "run again" in doubt["hint"], doubt
