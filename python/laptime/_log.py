"""Warnings to whoever listens: the program's `logging` if it handles any, else the standard error.

`logging` is never imported for it: in a program that didn't, a file of that name beside the script
would be run.
"""

from __future__ import annotations

import sys

from ._core import warn as say

TYPE_CHECKING = False
if TYPE_CHECKING:
    import logging

_WARNING = 30


def warn(message: str, *, error: bool = False) -> None:
    """Logs a warning to the logger "laptime"; with `error` the exception being handled too."""
    log = _listened()
    if log is None:
        say(f"{message}: {sys.exc_info()[1]!r}" if error else message)
        return
    try:
        log.warning(message, exc_info=error)
    except Exception:
        pass  # a handler of the program's


def _listened() -> logging.Logger | None:
    """The logger, where the program handles or switches off what is logged.

    Without a handler `logging` would write the bare words, and nobody would know whose they are.
    """
    get = getattr(sys.modules.get("logging"), "getLogger", None)
    if get is None:
        return None
    try:
        log: logging.Logger = get("laptime")
        return log if log.hasHandlers() or not log.isEnabledFor(_WARNING) else None
    except Exception:
        return None  # not the standard library's
