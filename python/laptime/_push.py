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

    # Whose it is, its token, what was opened before it, how many those are with it, and with how
    # many they are looked through.
    Entry: TypeAlias = tuple[object, int, "Entry | None", int, int]

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
    if not token:
        return
    try:
        _opened().set(_over(_kept(_opened().get()), owner, token))
    except MemoryError:
        close_span(token)
        raise


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
        below = _over(below, kept[0], kept[1])
    _opened().set(below)
    return True


def _over(below: Entry | None, owner: object, token: int) -> Entry:
    count, most = (0, _MOST_CLOSED) if below is None else below[3:]
    return owner, token, below, count + 1, most


def _kept(entry: Entry | None) -> Entry | None:
    """What stays below a new entry: a program that never pops must not keep all that it pushed.

    Where all are open still, twice as many have to come until they are looked through again.
    """
    if entry is None or entry[3] < entry[4]:
        return entry
    entries: list[Entry] = []
    below: Entry | None = entry
    while below is not None:
        if is_open(below[1]):
            entries.append(below)
        below = below[2]
    most = max(_MOST_CLOSED, 2 * len(entries))
    kept: Entry | None = None
    for count, (owner, token, *_) in enumerate(reversed(entries), 1):
        kept = (owner, token, kept, count, most)
    return kept
