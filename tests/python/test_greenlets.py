"""Spans belong to a greenlet: of `greenlet` itself, of gevent, and below SQLAlchemy's asyncio."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.interpreter

REQUESTS = 400

#: Requests that switch to each other inside of their laps, each with laps of its own name.
SERVE = """
import laptime as lt
from laptime import _core

def request(number):
    with lt.lap(f"request {number}"):
        turn()
        for part in ("parse", "query", "render"):
            with lt.lap(part):
                turn()
                assert _core.current_path()[-2:] == [f"request {number}", part]
                with lt.lap("inner"):
                    turn()
                    assert _core.current_path()[-3:] == [f"request {number}", part, "inner"]
            turn()

def check():
    report = lt.report()
    parts = ("", *(f"/{part}" for part in ("parse", "query", "render")))
    names = (*parts, *(f"{part}/inner" for part in parts[1:]))
    wanted = {f"request {number}{name}" for number in range(REQUESTS) for name in names}
    assert {path for path in report if "request" in path} == wanted
    assert all(report[path].count == 1 and not report[path].unbalanced_count for path in wanted)
    return report
"""

BY_HAND = """
from collections import deque
from greenlet import getcurrent, greenlet

waiting = deque()

def turn():
    waiting.append(getcurrent())
    hub.switch()

def serve():
    for number in range(REQUESTS):
        waiting.append(greenlet(lambda number=number: request(number), hub))
    while waiting:
        waiting.popleft().switch()
"""

GEVENT = """
import gevent

def turn():
    gevent.sleep(0)

def serve():
    gevent.joinall([gevent.spawn(request, number) for number in range(REQUESTS)], raise_error=True)
"""

MAKERS = [
    pytest.param("greenlet", f"{BY_HAND}\nhub = getcurrent()", id="greenlet"),
    pytest.param("gevent", GEVENT, id="gevent"),
    pytest.param(
        "gevent", f"from gevent import monkey; monkey.patch_all()\n{GEVENT}", id="gevent-patched"
    ),
]


def run(tmp_path: Path, code: str) -> str:
    (tmp_path / "program.py").write_text(f"REQUESTS = {REQUESTS}\n{code}")
    done = subprocess.run(
        [sys.executable, "program.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert not done.stderr
    return done.stdout


@pytest.mark.parametrize(("package", "maker"), MAKERS)
@pytest.mark.parametrize("imports", ["before", "after"])
def test_requests_in_greenlets_have_a_right_tree_each(
    tmp_path: Path, package: str, maker: str, imports: str
) -> None:
    pytest.importorskip(package)
    both = (maker, SERVE) if imports == "before" else (SERVE, maker)
    code = "\n".join(
        [*both, "with lt.lap('serve'):", "    serve()", "print(check()['serve'].count)"]
    )
    assert run(tmp_path, code) == "1\n"


@pytest.mark.parametrize(("package", "maker"), MAKERS)
def test_so_have_they_beside_laps_of_the_thread_and_with_variables_of_their_own(
    tmp_path: Path, package: str, maker: str
) -> None:
    pytest.importorskip(package)
    code = """
import contextvars
variable = contextvars.ContextVar("number", default=None)
variable.set("the thread's")

plain = request
def request(number):
    assert variable.get() in (None, "the thread's")
    variable.set(number)
    plain(number)
    assert variable.get() == number

with lt.lap("before"):
    pass
serve()
with lt.lap("after"):
    assert _core.current_path() == ["after"]
assert variable.get() == "the thread's"
report = check()
print(report["before"].count, report["after"].count)
"""
    assert run(tmp_path, f"{maker}\n{SERVE}\n{code}") == "1 1\n"


def test_greenlets_of_two_threads_do_not_mix(tmp_path: Path) -> None:
    pytest.importorskip("greenlet")
    code = """
import threading
from greenlet import getcurrent, greenlet

here = threading.local()
def turn():
    here.waiting.append(getcurrent())
    here.hub.switch()

def serve(numbers):
    here.hub = getcurrent()
    here.waiting = [greenlet(lambda number=number: request(number)) for number in numbers]
    with lt.lap("serves"):
        while here.waiting:
            here.waiting.pop(0).switch()

threads = [
    threading.Thread(target=serve, args=(range(at, REQUESTS, 2),)) for at in range(2)
]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(check()["serves"].count)
"""
    assert run(tmp_path, f"{SERVE}\n{code}") == "2\n"


def test_a_greenlet_whose_context_was_copied_inside_a_greenlet_is_inside_its_laps(
    tmp_path: Path,
) -> None:
    pytest.importorskip("greenlet")
    code = """
import contextvars
from greenlet import greenlet

def turn():
    pass

def inner():
    with lt.lap("helper"):
        print(_core.current_path())

def outer():
    with lt.lap("outer"):
        helper = greenlet(inner)
        helper.gr_context = contextvars.copy_context()
        helper.switch()
        greenlet(inner).switch()
        contextvars.copy_context().run(inner)

greenlet(outer).switch()
"""
    paths = "['outer', 'helper']\n['helper']\n['outer', 'helper']\n"
    assert run(tmp_path, f"{SERVE}\n{code}") == paths


def test_a_greenlet_that_shares_its_task_s_context_is_inside_the_task_s_laps(
    tmp_path: Path,
) -> None:
    """As SQLAlchemy runs what waits below a coroutine."""
    pytest.importorskip("greenlet")
    code = """
import asyncio
from greenlet import getcurrent, greenlet

def wait(awaitable):
    return getcurrent().parent.switch(awaitable)

async def spawn(function, *arguments):
    inside = greenlet(function)
    inside.gr_context = getcurrent().gr_context
    result = inside.switch(*arguments)
    while not inside.dead:
        result = inside.switch(await result)
    return result

def query(number):
    with lt.lap("query"):
        wait(asyncio.sleep(0))
        assert _core.current_path()[-2:] == [f"request {number}", "query"]

async def request(number):
    with lt.lap(f"request {number}"):
        await spawn(query, number)
        await asyncio.sleep(0)
        assert _core.current_path()[-1:] == [f"request {number}"]

async def main():
    await asyncio.gather(*map(request, range(REQUESTS)))

asyncio.run(main())
report = lt.report()
print(sum(report[f"request {number}/query"].count for number in range(REQUESTS)))
"""
    assert run(tmp_path, f"{SERVE}\n{code}") == "400\n"


def test_a_module_of_the_program_s_own_that_is_called_greenlet_is_left_alone(
    tmp_path: Path,
) -> None:
    (tmp_path / "greenlet.py").write_text(
        "class greenlet: parent = None\ndef getcurrent(): raise SystemExit('was called')\n"
    )
    code = """
import greenlet
import contextvars
def turn():
    pass
REQUESTS = 1
contextvars.copy_context().run(request, 0)
check()
print("done")
"""
    assert run(tmp_path, f"{SERVE}\n{code}") == "done\n"


def test_greenlets_that_end_leave_nothing(tmp_path: Path) -> None:
    pytest.importorskip("greenlet")
    code = """
import gc
from greenlet import getcurrent, greenlet
hub = getcurrent()

def turn():
    pass

def left():
    with lt.lap("left"):
        hub.switch()

def objects():
    for number in range(50):
        greenlet(request).switch(0)
        greenlet(left).switch()  # ends inside of its lap, when nobody holds it any more
    gc.collect()
    return len(gc.get_objects())

objects()
before = objects()
grown = objects() - before
print(grown < 50, lt.report()["left"].count, lt.report()["request 0"].count)
"""
    assert run(tmp_path, f"{SERVE}\n{code}") == "True 150 150\n"
