"""Runs every entry of Laptime's with an allocation that fails, at every place.

    python failing_allocations.py one   # one allocation fails, the next ones don't
    python failing_allocations.py all   # from one on, all fail

Prints a line for each entry that did anything else than answer or raise, and how many were tried.
"""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import select
import signal
import sys
import tempfile
from _testcapi import remove_mem_hooks, set_nomemory
from collections.abc import Callable
from typing import Any

import laptime as lt
from laptime import _core

MOST = 3_000
"""Places that are tried, of an entry that never answers."""

QUIET = 40
"""Places in a row where nothing fails: the entry makes fewer allocations."""

NEW_NAMES = [f"name {number}" for number in range(MOST)]

SKIPPED = {
    "__class__", "__delattr__", "__doc__", "__getattribute__", "__init__", "__init_subclass__",
    "__new__", "__reduce_ex__", "__setattr__", "__subclasshook__", "_ipython_display_", "show",
}  # fmt: skip
"""Attributes that are the interpreter's, and those that print."""

NEITHER = {
    "close", "disable", "kept_or_measured_ceilings", "leave_stacks", "measure_ceilings",
    "sample_stacks",
}  # fmt: skip
"""Functions that end what the others need, and those that measure for a minute."""

WRITTEN_IN_PYTHON = {"async with", "decorated", "push", "record", "row.__reduce__()", "track"}
"""Where all allocations fail, CPython itself loops for ever or crashes in these."""

Entry = Callable[[], Any]


def add(number: int) -> int:
    return number + 1


def spans(names: Any) -> dict[str, Entry]:
    timer = lt.Timer("segments")
    timer.start("known")
    timer.stop("known")

    def lap() -> None:
        with lt.lap("known"):
            pass

    def worked() -> None:
        with lt.lap("known", flop=10**20, bytes=3):
            pass

    def of_new_name() -> None:
        with lt.lap(next(names)):
            pass

    async def task() -> None:
        async with lt.lap("known"):
            pass

    def run_task() -> None:
        with contextlib.closing(task()) as running, contextlib.suppress(StopIteration):
            running.send(None)

    def record() -> None:
        with lt.record("again.lap", force=True):
            pass

    return {
        "lap": lap,
        "worked": worked,
        "new name": of_new_name,
        "async with": run_task,
        "decorated": lambda: lt.lap("known")(add)(1),
        "mark": lambda: lt.mark(next(names)),
        "metric": lambda: lt.metric(next(names), 3.5),
        "push": lambda: (lt.push(next(names)), lt.pop()),
        "track": lambda: list(lt.track([1, 2, 3], "known")),
        "record": record,
        "open": lambda: lt.open("run.lap"),
        "compare": lambda: lt.compare("run.lap", "run.lap"),
        "segment": lambda: (timer.start("known"), timer.stop("known")),
        "new segment": lambda: (timer.start(next(names)), timer.reset()),
        "history": lambda: timer.history("known"),
    }


def mistakes() -> dict[str, Entry]:
    """Calls that are refused: that takes memory, too."""
    reduced: Any = lt.Timer().__reduce__()
    make, arguments = reduced

    def work_of_lap() -> None:
        with lt.lap("known") as lap:
            lap.bytes = 3.7  # type: ignore[assignment]

    calls: dict[str, Entry] = {
        "without a name": lt.mark,
        "no value": lambda: lt.metric("x"),
        "no path": lt.open,
        "a number's path": lambda: lt.open(3),
        "no such keyword": lambda: lt.Timer(nope=1),
        "a number's lap": lambda: lt.lap(3),
        "work of a lap": work_of_lap,
        "copied": lambda: make(*arguments),
    }
    return calls


def answers() -> dict[str, Entry]:
    """What can be had without an argument of any kind of object, and such functions."""
    with lt.record("run.lap"):
        for number in range(5):
            with lt.lap("step"), lt.lap("forward"):
                pass
            lt.metric("loss", number)
        lt.mark("here")
    timer = lt.Timer("timer")
    timer.start("a")
    timer.stop("a")
    recording, comparison = lt.open("run.lap"), lt.compare("run.lap", "run.lap")
    objects = {
        "report": recording.report(),
        "summary": recording.report()["step"],
        "recording": recording,
        "timer": timer,
        "comparison": comparison,
        "row": comparison.rows[0],
        "handle": lt.lap("step"),
    }
    entries: dict[str, Entry] = {}
    for label, it in objects.items():
        for name in set(dir(it)) - SKIPPED:
            if not callable(getattr(it, name, None)):
                entries[f"{label}.{name}"] = lambda it=it, name=name: getattr(it, name)
            elif takes_nothing(getattr(it, name)):
                entries[f"{label}.{name}()"] = lambda it=it, name=name: getattr(it, name)()
    for name in set(dir(_core)) - NEITHER:
        function = getattr(_core, name)
        if not isinstance(function, type) and callable(function) and takes_nothing(function):
            entries[f"_core.{name}()"] = function
    return entries


def takes_nothing(function: Entry) -> bool:
    try:
        function()
    except TypeError:
        return False
    except Exception:
        return True
    return True


def came_of(entry: Entry, at: int, last: int) -> str:
    try:
        set_nomemory(at, last)
        entry()
        remove_mem_hooks()
    except Exception:
        # In the interpreter's own code a failed allocation may be told as another error.
        remove_mem_hooks()
        return "raised"
    except BaseException as error:
        remove_mem_hooks()
        return f"{type(error).__name__}: {error}"
    return "answered"


def try_all(entry: Entry, forever: bool, told: int) -> None:
    """In a process of its own: what came of each place is written to `told`."""
    signal.alarm(100)
    takes_nothing(entry)
    gc.collect()
    gc.disable()
    answered = 0
    for at in range(MOST):
        os.write(told, b"%d " % at)
        came = came_of(entry, at, 0 if forever else at + 1)
        if not _core.is_on():
            came = "recording is off"
        os.write(told, came.encode() + b"\n")
        answered = answered + 1 if came == "answered" else 0
        if answered > QUIET or came == "recording is off":
            break
    os._exit(0)


def read_both(told: int, printed: int) -> tuple[str, str]:
    read = {told: b"", printed: b""}
    open_ends = [told, printed]
    while open_ends:
        for end in select.select(open_ends, [], [])[0]:
            part = os.read(end, 65_536)
            read[end] += part
            if not part:
                open_ends.remove(end)
                os.close(end)
    return read[told].decode(), read[printed].decode()


def trouble(entry: Entry, forever: bool) -> str:
    told, tells = os.pipe()
    printed, prints = os.pipe()
    child = os.fork()
    if child == 0:
        os.dup2(prints, 1)
        os.dup2(prints, 2)
        try_all(entry, forever, tells)
    os.close(tells)
    os.close(prints)
    came, said = read_both(told, printed)
    status = os.waitpid(child, 0)[1]
    lines = came.splitlines()
    odd = [line for line in lines if line.split(" ", 1)[1] not in ("raised", "answered")]
    if status:
        return f"ended with {status} at {lines[-1]}"
    return "; ".join(odd[:3]) or said[:300]


def main() -> None:
    forever = sys.argv[1] == "all"
    os.chdir(tempfile.mkdtemp(dir=os.environ.get("TMPDIR")))
    entries = (
        spans(map(NEW_NAMES.__getitem__, itertools.cycle(range(MOST)))) | mistakes() | answers()
    )
    tried = 0
    for name, entry in entries.items():
        if forever and name in WRITTEN_IN_PYTHON:
            continue
        tried += 1
        if found := trouble(entry, forever):
            print(f"{name}: {found}", flush=True)
    print(tried, "entries", flush=True)


if __name__ == "__main__":
    main()
