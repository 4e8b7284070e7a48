"""A fork of `warm` is to a program what an interpreter is that was started for it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from warm import Warm

SELF = """
import atexit, sys, threading
print(__name__, sys.argv, sys.path[0], globals().get("__file__"), sys.stdin.read())
print("laptime" in sys.modules, sys.modules["__main__"].__dict__ is globals())
print(threading.active_count())
go_on = threading.Event()
atexit.register(lambda: (print("exit handler"), sys.stderr.write("its error")))
threading.Thread(target=lambda: (go_on.wait(), print("thread"))).start()
threading.Timer(0.01, go_on.set).start()
"""
ENDS = {
    "the end": "",
    "a code": "sys.exit(3)",
    "a message": "sys.exit('said')",
    "an error": "1 / 0",
    "an interrupt": "raise KeyboardInterrupt",
    "a signal": "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)",
    "at once": "import os\nsys.stdout.flush()\nos._exit(7)",
}


def ran(command: list[str | Path], folder: Path) -> tuple[int, str, list[str]]:
    """How a program ended, and what it wrote, without the lines of source in a traceback."""
    done = subprocess.run(command, cwd=folder, input="line\n", capture_output=True, text=True)
    errors = [line for line in done.stderr.splitlines() if not line.startswith("    ")]
    return done.returncode, done.stdout, errors


@pytest.mark.parametrize("end", ENDS)
def test_a_program_begins_and_ends_as_in_an_interpreter(
    tmp_path: Path, warm: Warm, end: str
) -> None:
    (tmp_path / "program.py").write_text(SELF + ENDS[end])
    for how in (["-c", SELF + ENDS[end]], ["program.py"], ["-m", "program"]):
        words = [*how, "--option", "argument"]
        assert ran([warm.python, *words], tmp_path) == ran([sys.executable, *words], tmp_path)


def test_a_signal_reaches_the_program(tmp_path: Path, warm: Warm) -> None:
    code = """
import signal
signal.signal(signal.SIGUSR1, lambda *_: print("told", flush=True))
print("ready", flush=True)
while True:
    signal.pause()
"""
    with subprocess.Popen([warm.python, "-c", code], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        program.send_signal(signal.SIGUSR1)
        assert program.stdout.readline() == "told\n"
        program.send_signal(signal.SIGINT)
        assert program.wait() == -signal.SIGINT


def test_who_is_killed_takes_the_program_along(warm: Warm) -> None:
    code = "import time\nprint(flush=True)\ntime.sleep(1000)"
    with subprocess.Popen([warm.python, "-c", code], stdout=subprocess.PIPE) as program:
        assert program.stdout is not None
        program.stdout.readline()
        program.kill()
        assert program.stdout.read() == b"", "nobody has its output any more"


@pytest.mark.parametrize(
    "variable", ["PYTHONPATH", "LD_LIBRARY_PATH", "OMP_NUM_THREADS", "LAPTIME_RUN", "LAPTIME"]
)
def test_what_only_an_interpreters_start_heeds_is_refused(warm: Warm, variable: str) -> None:
    environment = {**os.environ, variable: "/nowhere"}
    command = [warm.python, "-c", "print('ran')"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert "start " in done.stderr


def test_the_interpreter_itself_takes_no_option(warm: Warm) -> None:
    done = subprocess.run([warm.python, "-v", "-c", ""], capture_output=True, text=True)
    assert done.returncode == 1
    assert "takes no option -v" in done.stderr
