"""A mistake of Laptime's own, a panic, ends the recording and never the program.

Nothing here plants a switch in the extension. A panic is made from outside in two ways: by an
allocation that fails where the bindings do not expect it, and by raising the bindings' own panic
exception in Python code that the extension calls, which they answer by panicking again.
"""

from __future__ import annotations

from typing import Any

import pytest

WARNING = "laptime: warning: recording stopped by a mistake of Laptime itself"

PANIC = """
import laptime as lt
from laptime import _core
try:
    lt.open("/nonexistent")
except FileNotFoundError:
    pass
Panic = next(kind for kind in BaseException.__subclasses__() if kind.__name__ == "PanicException")

def panic(*args, **kwargs):
    raise Panic("planted")
"""

TIMER = (
    PANIC
    + """
import laptime.device

class Gauge:
    def start(self):
        return WHERE == "start" and panic()
    def stop(self, token):
        return WHERE == "stop" and panic()

laptime.device.gauge = lambda device, memory: (Gauge(), None)
timer = lt.Timer(device="cuda")
print(timer.start("a"), timer.stop_and_start("a", "b") and 0.5, timer.stop("c"))
with lt.lap("after"):
    print(lt.lap("after").seconds)
print(_core.is_on())
"""
)

PROFILING = (
    PANIC
    + """
class Gauge:
    def start(self):
        return WHERE == "start" and panic()
    def stop(self, token):
        return WHERE == "stop" and panic()

timer = _core.ProfilingSegments()
timer._measure(Gauge())
print(timer.start("a"), timer.stop("a") and 0.5, timer.stop_and_start("a", "b") and 0.5)
print(_core.is_on())
"""
)


def check(done: Any, printed: str) -> None:
    assert done.stdout == printed
    assert done.stderr.count("laptime: warning") == 1, done.stderr
    assert WARNING in done.stderr


@pytest.mark.interpreter
@pytest.mark.parametrize("where", ["start", "stop"])
def test_a_timer_whose_start_or_stop_panics_measures_nothing_and_raises_nothing(
    run: Any, where: str
) -> None:
    done = run(f"WHERE = {where!r}\n" + TIMER)
    check(done, "None None None\nNone\nFalse\n")


@pytest.mark.interpreter
@pytest.mark.parametrize("where", ["start", "stop"])
def test_a_profiling_timer_whose_start_or_stop_panics_raises_nothing(run: Any, where: str) -> None:
    done = run(f"WHERE = {where!r}\n" + PROFILING)
    check(done, "None None None\nFalse\n")


@pytest.mark.interpreter
def test_a_decorator_that_panics_leaves_the_function_as_it_was(run: Any) -> None:
    code = (
        PANIC
        + """
import laptime._decorate
laptime._decorate.decorate = panic

def work():
    return 42

print(lt.lap(work) is work, lt.lap("named")(work) is work, lt.lap("x", flop=1)(work) is work)
print(lt.lap(work)(), _core.is_on())
"""
    )
    check(run(code), "True True True\n42 False\n")


@pytest.mark.interpreter
def test_figures_that_a_panic_prevents_are_an_ordinary_error(run: Any) -> None:
    code = (
        PANIC
        + """
import laptime.device

class Elapsed:
    def settle(self, wait):
        panic()

class Gauge:
    def start(self):
        return 1
    def stop(self, token):
        return Elapsed(), None, 0, 0

laptime.device.gauge = lambda device, memory: (Gauge(), None)
timer = lt.Timer(device="cuda")
timer.start("a")
timer.stop("a")
try:
    timer.history("a")
except Exception as error:
    print(type(error).__name__, "mistake of Laptime itself" in str(error))
"""
    )
    check(run(code), "LaptimeError True\n")


NO_MEMORY = """
import contextvars, sys
import laptime as lt
from _testcapi import remove_mem_hooks, set_nomemory

for number in range(300):
    with lt.lap(f"paths beyond small integers {number}"):
        pass
entered = type(lt.lap("in a task")).__enter__
left = type(lt.lap("in a task")).__exit__

def task(at, run=WHICH):
    set_nomemory(at, at + 1)
    try:
        if run == "enter":
            entered()
            left(None, None, None)
        else:
            timer.start("in a task")
            timer.stop("in a task")
    finally:
        remove_mem_hooks()

timer = lt.Timer()
timer.start("in a task")
timer.stop("in a task")
with lt.lap("outside"):
    for at in range(int(sys.argv[1]), int(sys.argv[2])):
        try:
            contextvars.copy_context().run(task, at)
        except MemoryError:
            pass
with lt.lap("afterwards"):
    print("survived")
"""


@pytest.mark.interpreter
@pytest.mark.parametrize("which", ["enter", "start"])
def test_a_lap_or_timer_survives_every_allocation_that_fails(run: Any, which: str) -> None:
    pytest.importorskip("_testcapi")
    for first in range(0, 40, 8):
        done = run(f"WHICH = {which!r}\n" + NO_MEMORY, str(first), str(first + 8))
        assert done.stdout == "survived\n"
        assert done.stderr.count("laptime: warning") <= 1
        assert "Laptime itself" not in done.stderr or WARNING in done.stderr


@pytest.mark.interpreter
def test_a_finalizer_that_forgets_segments_does_not_disturb_a_start(run: Any) -> None:
    code = """
import contextvars, gc
import laptime as lt

class Cycle:
    def __init__(self, timer):
        self.me, self.timer = self, timer
    def __del__(self):
        self.timer.clear()

timer = lt.Timer()

def task():
    Cycle(timer)
    gc.set_threshold(1)
    timer.start("a")
    gc.set_threshold(700)
    timer.stop("a")

for _ in range(50):
    contextvars.copy_context().run(task)
print("survived")
"""
    done = run(code)
    # A segment that is forgotten while it runs is stopped without having been started.
    told = "segment 'a' was stopped but not started: nothing is measured"
    assert done.stdout == "survived\n"
    assert set(done.stderr.splitlines()) <= {told}
