"""One build's part of a comparison of two: for each line that it reads, it runs a block of every
statement and prints the nanoseconds of a pair, so that two builds can take turns.

The build is the `laptime` that the module path leads to.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import laptime as lt

#: Statements in a block: 25 turns of a loop that holds 20 of them.
TURNS, UNROLLED = 25, 20


def repeated(statement: str, **names: Any) -> Callable[[], None]:
    """A function that runs the statement 500 times."""
    body = "".join(f"        {line}\n" for line in statement.splitlines() * UNROLLED)
    scope: dict[str, Any] = dict(names)
    exec(f"def block():\n    for _ in range({TURNS}):\n{body}", scope)
    block: Callable[[], None] = scope["block"]
    return block


def per_pair(block: Callable[[], None]) -> float:
    block()  # the other build had the caches
    start = time.perf_counter_ns()
    block()
    return (time.perf_counter_ns() - start) / (TURNS * UNROLLED)


@contextlib.contextmanager
def switched_off() -> Iterator[None]:
    lt.disable()
    try:
        yield
    finally:
        lt.enable()


def main() -> None:
    @lt.lap
    def decorated() -> None:
        pass

    timer = lt.Timer("turns")
    lap = repeated('with lap("x"): pass', lap=lt.lap)
    blocks = {
        "with lap": lap,
        "a lap in a lap": repeated('with lap("x"):\n    with lap("y"): pass', lap=lt.lap),
        "Timer start/stop": repeated('start("x"); stop("x")', start=timer.start, stop=timer.stop),
        "a decorated call": repeated("call()", call=decorated),
    }

    async def in_a_task() -> float:
        return per_pair(lap)

    with tempfile.TemporaryDirectory() as folder, lt.record(Path(folder) / "turns.lap"):
        for _ in sys.stdin:
            figures = {name: per_pair(block) for name, block in blocks.items()}
            figures["with lap, in a task"] = asyncio.run(in_a_task())
            with switched_off():
                figures["with lap, off"] = per_pair(lap)
            print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
