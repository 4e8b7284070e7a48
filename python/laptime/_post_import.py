"""Runs a callback right after a module has been imported, without importing it.

This is how Laptime reaches torch: only if the program imports it, whichever of the two comes
first, and at no cost when it never does.
"""

from __future__ import annotations

import sys

from ._core import FindsWaited, raised_by_handler
from ._log import warn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import TypeAlias

    Callback: TypeAlias = Callable[[ModuleType], None]

_waiting: dict[str, list[Callback]] = {}


def when_imported(name: str, callback: Callback) -> None:
    """Calls `callback(module)` after the module's first import, or now if it is there.

    A callback that waits for the module already is called once.
    An exception in a callback is logged and goes no further: an import never fails because
    Laptime wanted to watch it.
    """
    module = sys.modules.get(name)
    spec = getattr(module, "__spec__", None)
    if module is not None and not getattr(spec, "_initializing", False):
        _call(callback, module)
        return
    waiting = _waiting.setdefault(name, [])
    if callback not in waiting:
        waiting.append(callback)
    if _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


def wait_no_more(owner: object) -> None:
    """Calls back no method of `owner`: whoever records again and again leaves nothing behind."""
    for name, waiting in list(_waiting.items()):
        left = [one for one in waiting if getattr(one, "__self__", None) is not owner]
        if left:
            waiting[:] = left
        else:
            _waiting.pop(name, None)
    _leave_if_done()


def _call(callback: Callback, module: ModuleType) -> None:
    try:
        callback(module)
    except BaseException as error:
        # A panic too: an import never fails because Laptime wanted to watch it.
        if raised_by_handler(error):
            raise
        warn(f"could not hook into {module.__name__}", error=True)


def _imported(module: ModuleType) -> None:
    for callback in _waiting.pop(module.__name__, ()):
        _call(callback, module)
    _leave_if_done()


def _leave_if_done() -> None:
    if not _waiting and _finder in sys.meta_path:
        sys.meta_path.remove(_finder)


class _Finder:
    """Finds the modules that are waited for; neither tracers nor tracebacks show it."""

    def __init__(self) -> None:
        self.find_spec = FindsWaited(_waiting, _imported)


_finder = _Finder()
