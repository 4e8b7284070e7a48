"""Warnings to whoever listens: the program's `logging` if it has one, else the standard error.

`logging` is never imported for it: in a program that didn't, a file of that name beside the script
would be run.
"""

from __future__ import annotations

import sys

from ._core import warn as say


def warn(message: str, *, error: bool = False) -> None:
    """Logs a warning to the logger "laptime"; with `error` the exception being handled too."""
    logging = sys.modules.get("logging")
    get = getattr(logging, "getLogger", None)
    if get is None:
        say(f"{message}: {sys.exc_info()[1]!r}" if error else message)
        return
    try:
        get("laptime").warning(message, exc_info=error)
    except Exception:
        pass  # a handler of the program's
