"""Processes that a counted call forks: they are not counted, and work as without the count."""

from __future__ import annotations

import os
from collections.abc import Callable
from threading import get_ident

from ...world import Undo

#: By the thread of each count that runs, what takes its modes off; the last begun at the end.
_RUNNING: list[tuple[int, Callable[[], None]]] = []


def leave_in_children(undo: Undo, leave: Callable[[], None]) -> None:
    """A child that the call forks, such as a loader's worker, has none of the count's modes."""
    entry = (get_ident(), leave)
    _RUNNING.append(entry)
    undo.undo.append(lambda: _RUNNING.remove(entry) if entry in _RUNNING else None)


def is_running_elsewhere() -> bool:
    """Whether another thread counts just now."""
    return any(thread != get_ident() for thread, _ in _RUNNING)


def _leave() -> None:
    while _RUNNING:
        thread, leave = _RUNNING.pop()
        if thread == get_ident():
            leave()


os.register_at_fork(after_in_child=_leave)
