"""Runs ahead: threads that each start one program after the other, while tests compare.

What was not begun when a test asks for it is done in the test's own thread, so that tests in any
order wait for their own runs only.
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


class Ahead:
    """Outcomes of runs, each done once: those that are wanted, and what is asked for besides."""

    def __init__(self, wanted: Iterable[Run], cache: Path) -> None:
        self._cache = cache
        self._queue = list(dict.fromkeys(wanted))
        self._futures: dict[Run, Future[Outcome]] = {run: Future() for run in self._queue}
        self._lock = threading.Lock()
        # With the test's own thread as many as there are cores.
        count = max(1, len(os.sched_getaffinity(0)) - 1)
        self._threads = [threading.Thread(target=self._work, daemon=True) for _ in range(count)]
        for thread in self._threads:
            thread.start()

    def outcome(self, wanted: Run) -> Outcome:
        """Waits for a run, which is done next if it was not begun."""
        with self._lock:
            if wanted not in self._futures:
                self._futures[wanted] = Future()
                is_ours = True
            elif is_ours := wanted in self._queue:
                self._queue.remove(wanted)
        if is_ours:
            self._do(wanted)
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
            self._do(wanted)

    def _do(self, wanted: Run) -> None:
        future = self._futures[wanted]
        try:
            future.set_result(run(wanted.program, wanted.way, self._cache))
        except Exception as error:
            future.set_exception(error)
