"""Laps and timers in places where a program rarely stands."""

from __future__ import annotations

import contextvars
import gc
import sys
import threading
from typing import Any

import pytest

import laptime as lt
from laptime import _core

pytestmark = pytest.mark.interpreter


def test_one_handle_and_one_timer_serve_many_threads() -> None:
    lap, timer = lt.lap("shared by threads"), lt.Timer("shared by threads")

    def work(number: int) -> None:
        for _ in range(500):
            with lap:
                timer.start(f"segment {number}")
                timer.stop(f"segment {number}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert lt.report()[("shared by threads",)].count == 2_000
    assert [len(timer.history(f"segment {number}")) for number in range(4)] == [500] * 4


def test_a_signal_handler_opens_laps_inside_an_open_lap(run: Any) -> None:
    code = """
import signal
import laptime as lt

timer = lt.Timer()

def handler(number, frame):
    with lt.lap("handler"):
        timer.start("handler")
        timer.stop("handler")

signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
while len(timer.history("handler") if "handled" in globals() else []) < 20:
    with lt.lap("program"):
        timer.start("program")
        timer.stop("program")
    if not globals().get("handled") and lt.report().find("**/handler"):
        handled = True
signal.setitimer(signal.ITIMER_REAL, 0)
report = lt.report()
assert sum(span.count for span in report.find("**/handler")) >= 20
assert report[("program",)].count == len(timer.history("program"))
"""
    assert run(code).stderr == ""


def test_a_generator_that_is_never_finished_is_closed_when_it_goes() -> None:
    @lt.lap("never finished")
    def numbers() -> Any:
        with lt.lap("inside"):
            yield 1

    running = numbers()
    assert next(running) == 1
    del running
    gc.collect()
    assert lt.report()["never finished"].count == 1
    assert _core.current_path() == []


def test_laps_work_in_code_that_is_traced() -> None:
    seen: list[str] = []

    def trace(frame: Any, event: str, argument: Any) -> Any:
        with lt.lap("tracer"):
            seen.append(event)
        return trace

    def work() -> None:
        with lt.lap("traced"):
            int("1")

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    assert seen.count("line") >= 2
    report = lt.report()
    assert report[("traced",)].count == 1
    assert sum(span.count or 0 for span in report.find("**/tracer")) == len(seen)


def test_a_copied_context_runs_laps_of_its_own() -> None:
    context = contextvars.copy_context()

    def work() -> list[str]:
        with lt.lap("in a copied context"):
            return _core.current_path()

    with lt.lap("outside"):
        assert context.run(work) == ["outside", "in a copied context"]
        assert context.copy().run(work)[-1] == "in a copied context"
        assert _core.current_path() == ["outside"]
    assert _core.current_path() == []


def test_a_child_that_exits_at_once_inside_a_lap_ends_as_it_said(run: Any) -> None:
    code = """
import os
import laptime as lt

timer = lt.Timer()
timer.start("over the fork")
with lt.lap("parent"):
    child = os.fork()
    if child == 0:
        with lt.lap("child"):
            os._exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
print(timer.stop("over the fork") > 0)
"""
    done = run(code)
    assert (done.stdout, done.stderr) == ("7\nTrue\n", "")


def test_finalizers_at_the_end_of_the_interpreter_use_what_they_hold(run: Any) -> None:
    code = """
import laptime as lt

class Last:
    def __init__(self):
        self.lap, self.timer = lt.lap("last"), lt.Timer("last")
        self.timer.start("until the end")

    def __del__(self):
        with self.lap:
            self.timer.stop("until the end")
            print(len(self.timer.history("until the end")))

last = Last()
"""
    done = run(code)
    assert (done.stdout, done.stderr) == ("1\n", "")


def test_greenlets_that_switch_inside_laps_do_no_harm(run: Any) -> None:
    pytest.importorskip("greenlet")
    code = """
from greenlet import greenlet
import laptime as lt

def work(number):
    for step in range(50):
        with lt.lap(f"greenlet {number}"):
            main.switch()
            with lt.lap("inside"):
                main.switch()

def run_all():
    tasks = [greenlet(work) for number in range(5)]
    for _ in range(200):
        for number, task in enumerate(tasks):
            if not task.dead:
                task.switch(number) if not task else task.switch()

main = greenlet.getcurrent()
with lt.lap("main"):
    run_all()
report = lt.report()
print(sum(span.count or 0 for span in report.find("**/greenlet *")) >= 1, report["main"].count)
"""
    done = run(code)
    assert (done.stdout, done.stderr) == ("True 1\n", "")


@pytest.mark.skipif(sys.version_info < (3, 13), reason="sub-interpreters have no door there")
def test_a_sub_interpreter_is_refused_and_the_main_one_goes_on(run: Any) -> None:
    code = """
import _interpreters
import laptime as lt
other = _interpreters.create()
failed = _interpreters.exec(other, "import laptime")
print("ImportError" in str(failed.type.__name__ if failed else ""), lt.lap("x").__enter__().name)
"""
    assert run(code).stdout == "True x\n"
