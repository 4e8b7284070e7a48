"""Runs ahead: a few threads that each start one program after the other, while tests compare.

What a test asks for goes first, so that tests in any order wait for little more than their own.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from concurrent.futures import Future
from pathlib import Path
from typing import NamedTuple

from .outcome import Outcome
from .programs import Program
from .running import run
from .ways import Way


class Run(NamedTuple):
    """A run to do: alone when it has no way; `turn` tells a second run from the first."""

    program: Program
    way: Way | None
    turn: int = 0


def runs_of(program: Program, way: Way) -> tuple[Run, Run, Run]:
    """What it takes to compare: twice alone, then the way."""
    return Run(program, None, 0), Run(program, None, 1), Run(program, way)


class Ahead:
    """Outcomes of runs, each done once."""

    def __init__(self, wanted: Iterable[Run], cache: Path) -> None:
        self._cache = cache
        self._queue = list(dict.fromkeys(wanted))
        self._futures: dict[Run, Future[Outcome]] = {run: Future() for run in self._queue}
        self._lock = threading.Lock()
        count = len(os.sched_getaffinity(0))
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def outcome(self, wanted: Run) -> Outcome:
        """Waits for a run, which is done next if it was not begun."""
        with self._lock:
            if wanted not in self._futures:
                raise KeyError(f"{wanted.program} {wanted.way} was not announced")
            if wanted in self._queue:
                self._queue.remove(wanted)
                self._queue.insert(0, wanted)
        return self._futures[wanted].result()

    def close(self) -> None:
        """Begins no further run and waits for those under way."""
        with self._lock:
            self._queue.clear()
        for thread in self._threads:
            thread.join()

    def _work(self) -> None:
        while True:
            with self._lock:
                if not self._queue:
                    return
                wanted = self._queue.pop(0)
            future = self._futures[wanted]
            try:
                future.set_result(run(wanted.program, wanted.way, self._cache))
            except Exception as error:
                future.set_exception(error)
