"""`lt.push` and `lt.pop`: laps that are opened in one place and closed in another.

What is open is kept in a context variable, so that each thread and each asyncio task has its own.
A task finds those of its maker there when it begins: they are not open here, and never closed.
"""

from __future__ import annotations

from ._core import close_span, is_on, is_open, open_span
from ._log import warn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextvars import ContextVar
    from typing import TypeAlias

    # Whose it is, its token, and what was opened before it.
    Entry: TypeAlias = tuple[object, int, "Entry | None"]

_variable: list[ContextVar[Entry | None]] = []

# Whose entries those of `lt.push` are.
_OWN = "lt.push"

# As many entries may be there of laps that are open no more: some may be closed out of order.
_MOST_CLOSED = 64

_has_warned = False


def _opened() -> ContextVar[Entry | None]:
    """What is open here; the module that it needs is imported once it is used."""
    if not _variable:
        from _contextvars import ContextVar

        # Two threads may come at once: the first one's stays the first.
        _variable.append(ContextVar("laptime.pushed", default=None))
    return _variable[0]


def push(name: str, /) -> None:
    """Opens a lap, which the next `lt.pop()` of this thread or asyncio task closes.

    For code whose beginning and end stand in different functions, such as callbacks; elsewhere
    `with lt.lap(name)` can't be left open by an exception.
    """
    open_for(_OWN, name)


def pop() -> None:
    """Closes the lap that `lt.push` opened last in this thread or asyncio task.

    Where none is open this warns once, by `logging.getLogger("laptime")`, and does nothing.
    """
    global _has_warned
    if not close_for(_OWN) and is_on() and not _has_warned:
        _has_warned = True
        warn(
            "lt.pop: no lap of lt.push is open in this thread or task, so nothing was closed; "
            "this is said once"
        )


def open_for(owner: object, name: str) -> None:
    """Opens a lap that `close_for` of an equal owner closes."""
    _check(name)
    token = open_span(name)
    if token:
        _opened().set((owner, token, _kept(_opened().get())))


def _check(name: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"the name of a lap must be a str, not {type(name).__name__}")


def close_for(owner: object) -> bool:
    """Closes what an equal owner opened last and is open here; whether there was any.

    One that was left open by a lap around it, which has ended, is closed too, and out of order.
    """
    above: list[Entry] = []
    entry = _opened().get()
    while entry is not None and not (entry[0] == owner and close_span(entry[1])):
        above.append(entry)
        entry = entry[2]
    if entry is None:
        return False
    below = entry[2]
    for kept in reversed(above):
        below = (kept[0], kept[1], below)
    _opened().set(below)
    return True


def _kept(entry: Entry | None) -> Entry | None:
    """What stays below a new entry: a program that never pops must not keep all that it pushed."""
    entries: list[Entry] = []
    below = entry
    while below is not None:
        entries.append(below)
        below = below[2]
    if len(entries) < _MOST_CLOSED:
        return entry
    kept: Entry | None = None
    for owner, token, _ in reversed(entries):
        if is_open(token):
            kept = (owner, token, kept)
    return kept
