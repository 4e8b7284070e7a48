"""Actions of a trainer that begin and end by name: a tree of their own, beside the laps."""

from __future__ import annotations

import threading

from .._core import AsideSpan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Actions:
    """What goes on now, by thread, outermost first. A copy has nothing going on."""

    def __init__(self) -> None:
        self._open: dict[int, list[tuple[str, AsideSpan]]] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Actions, ()

    def start(self, name: str) -> None:
        """It begins, within what the thread is at; the outermost in the lap that is open."""
        actions = self._open.setdefault(threading.get_ident(), [])
        within = actions[-1][1] if actions else None
        actions.append((name, AsideSpan(name, within)))

    def stop(self, name: str) -> None:
        """The last one of this name ends, if there is one."""
        actions = self._open.get(threading.get_ident(), [])
        for at in range(len(actions) - 1, -1, -1):
            if actions[at][0] == name:
                actions.pop(at)[1].end()
                return
