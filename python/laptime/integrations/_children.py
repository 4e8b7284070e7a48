"""The end of a process that multiprocessing made: one that it forked runs no exit handlers.

Such a process ends by `os._exit` when its target has returned or raised. Before that it runs
finalizers of multiprocessing's: none of its parent's, only those that were registered in it. So one
is registered as it starts, to be run after all of the program's. A process that is terminated, or
calls `os._exit` itself, runs none.
"""

from __future__ import annotations

import atexit
from collections.abc import Callable
from typing import Any

from .._post_import import wait_no_more, when_imported

#: Finalizers with a lower number run later; the program's are rarely below 0.
_LAST = -1_000_000_000


class Children:
    """Has something done at the end of each process that multiprocessing makes from this one."""

    def __init__(self, finish: Callable[[], None]) -> None:
        """`finish` is an exit handler, which runs once there all the same."""
        self._finish = finish
        self._is_on = False
        self._util: Any = None

    def apply(self) -> None:
        """Begins, once the program has imported multiprocessing."""
        self._is_on = True
        when_imported("multiprocessing.util", self._follow)

    def remove(self) -> None:
        """Does nothing at any end any more."""
        self._is_on = False
        wait_no_more(self)

    def _follow(self, util: Any) -> None:
        self._util = util
        util.register_after_fork(self, Children._starts)
        # This process may be such a one, and have started already.
        from multiprocessing.process import parent_process

        if parent_process() is not None:
            self._starts()

    def _starts(self) -> None:
        self._util.Finalize(None, self._ends, exitpriority=_LAST)

    def _ends(self) -> None:
        if self._is_on:
            # A spawned process runs exit handlers too.
            atexit.unregister(self._finish)
            self._finish()
