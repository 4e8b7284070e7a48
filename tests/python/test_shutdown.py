"""Interpreters that end in unusual ways: no hang, no crash, nothing lost that was promised."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import laptime as lt

pytestmark = pytest.mark.interpreter

DAEMON = """
import sys, threading
import laptime as lt
if len(sys.argv) > 1:
    lt.record(sys.argv[1])
running = threading.Event()

def work():
    while True:
        with lt.lap("daemon"):
            running.set()

for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
running.wait()
with lt.lap("main"):
    pass
"""


@pytest.mark.parametrize("attempt", range(5))
def test_daemon_threads_inside_laps_at_exit(run: Any, recording: Path, attempt: int) -> None:
    assert run(DAEMON).stderr == ""
    assert run(DAEMON, str(recording)).stderr == ""
    assert lt.open(recording).report()["main"].count == 1


def test_laps_in_atexit_and_in_finalizers(run: Any) -> None:
    code = """
import atexit, laptime as lt
class Last:
    def __del__(self):
        with lt.lap("in a finalizer"):
            pass
last = Last()
@atexit.register
def at_exit():
    with lt.lap("at exit"):
        pass
lt.lap("left open").__enter__()
"""
    assert run(code).stderr == ""


def test_a_handle_outlives_its_module(run: Any) -> None:
    code = """
import sys, laptime
lap = laptime.lap("survivor")
for name in [name for name in sys.modules if name.startswith("laptime")]:
    del sys.modules[name]
del laptime
with lap:
    pass
print(lap.seconds is not None)
"""
    assert run(code).stdout == "True\n"


def test_os_exit_keeps_what_was_recorded(run: Any, recording: Path) -> None:
    code = (
        "import laptime as lt, os, sys\nlt.record(sys.argv[1])\n"
        "for _ in range(300):\n  with lt.lap('before exit'): pass\nos._exit(3)"
    )
    assert run(code, str(recording), check=False).returncode == 3
    assert lt.open(recording).report()["before exit"].count in (299, 300)


def test_a_forked_child_that_exits_early_leaves_the_run_alone(run: Any, recording: Path) -> None:
    code = """
import os, sys, laptime as lt
with lt.record(sys.argv[1]):
    with lt.lap("parent before"):
        pass
    child = os.fork()
    if child == 0:
        with lt.lap("of the child"):
            pass
        sys.exit(0)
    os.waitpid(child, 0)
    with lt.lap("parent after"):
        pass
"""
    run(code, str(recording))
    report = lt.open(recording).report()
    for name in ("parent before", "of the child", "parent after"):
        assert report[name].count == 1, name
