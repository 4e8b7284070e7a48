"""However a program ends: its exit code and output are its own, its recording is readable."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from launched import LAPTIME, Runner, count

pytestmark = pytest.mark.interpreter

BEGINNING = """
    import os, signal, sys
    import laptime as lt

    with lt.lap("work"):
        print("half way", flush=True)
"""

ENDINGS = {
    "falls off its end": ("pass", 0),
    "calls sys.exit(3)": ("sys.exit(3)", 3),
    "raises": ("raise RuntimeError('its own')", 1),
    "calls os._exit(3)": ("os._exit(3)", 3),
    "kills itself": ("os.kill(os.getpid(), signal.SIGKILL)", -signal.SIGKILL),
    "is terminated": ("os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
    "aborts": ("os.abort()", -signal.SIGABRT),
    "changes directory": ("os.chdir('/'); print('elsewhere')", 0),
    "closes all descriptors": ("os.closerange(3, 100)", 0),
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_the_ending_stays_the_programs_own(run: Runner, ending: str) -> None:
    statement, code = ENDINGS[ending]
    outcome = run(BEGINNING + "    " + statement)
    assert outcome.code == code, outcome.err
    assert outcome.out.startswith("half way\n")
    assert ("RuntimeError: its own" in outcome.err) == (ending == "raises")
    assert count(outcome.summary(), "work") == 1
    # The summary is printed however it ended: the row of the lap, with its count.
    assert re.search(r"^work +1 ", outcome.err, re.MULTILINE), outcome.err


def test_a_killed_program_says_where_it_was(run: Runner) -> None:
    outcome = run(
        """
        import os, signal
        import laptime as lt

        with lt.lap("epoch"):
            with lt.lap("step"):
                pass
            with lt.lap("evaluation"):
                os.kill(os.getpid(), signal.SIGKILL)
        """
    )
    assert outcome.code == -signal.SIGKILL
    (process,) = outcome.summary()["processes"]
    assert process["state"] == "killed"
    assert [span["path"] for span in process["open"]] == ["epoch", "epoch/evaluation"]


def test_a_script_that_is_not_there_is_said_as_python_says_it(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.py")
    alone = subprocess.run([sys.executable, missing], capture_output=True, text=True, check=False)
    done = subprocess.run(
        [*LAPTIME, "run", "-o", str(tmp_path / "x.lap"), "--", missing],
        capture_output=True,
        text=True,
        check=False,
    )
    # Either Python's own code, or the command's for what it cannot start.
    assert done.returncode in (alone.returncode, 127)
    assert "missing.py" in done.stderr


def test_threads_that_end_with_open_spans_harm_nothing(run: Runner) -> None:
    outcome = run(
        """
        import os, threading, time
        import laptime as lt

        def leave_open():
            lt.lap("left").__enter__()

        for _ in range(100):
            thread = threading.Thread(target=leave_open)
            thread.start()
            thread.join()
        # Python's join returns shortly before the system's thread ends: this one and the
        # recorder's stay.
        while len(os.listdir("/proc/self/task")) > 3:
            time.sleep(0.001)
        print("done")
        """
    )
    assert (outcome.code, outcome.out) == (0, "done\n"), outcome.err
    rows = [row for row in outcome.summary()["rows"] if row["names"] == ["left"]]
    assert [(row["count"], row["unbalanced_count"]) for row in rows] == [(100, 100)]


EXITS = int(os.environ.get("LAPTIME_TEST_EXITS", "25"))


@pytest.mark.skipif(
    sys.version_info < (3, 11),
    reason="CPython 3.10 itself crashes now and then when daemon threads outlive it",
)
def test_daemon_threads_that_record_during_shutdown_neither_hang_nor_crash(run: Runner) -> None:
    source = """
        import sys, threading
        import laptime as lt

        def spin():
            while True:
                with lt.lap("busy"):
                    pass

        for _ in range(2):
            threading.Thread(target=spin, daemon=True).start()
        with lt.lap("main"):
            pass
        lt.record(sys.argv[1])
    """
    for number in range(EXITS):
        outcome = run.alone(source, f"{number}.lap")
        assert (outcome.code, outcome.err) == (0, "")


def test_what_the_interpreter_is_asked_for_is_asked_of_the_program_alone(run: Runner) -> None:
    done = subprocess.run(
        [*LAPTIME, "run", "-o", "program.lap", "--", "sh", "-c", "exit 5"],
        cwd=run.folder,
        env={**os.environ, "PYTHONINSPECT": "1"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 5, done.stderr
    assert "Traceback" not in done.stderr
