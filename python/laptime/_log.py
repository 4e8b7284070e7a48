"""Warnings to whoever listens: the program's `logging` if it has one, else the standard error.

`logging` is never imported for it: in a program that didn't, a file of that name beside the script
would be run.
"""

from __future__ import annotations

import sys


def warn(message: str, *, error: bool = False) -> None:
    """Logs a warning to the logger "laptime"; with `error` the exception being handled too."""
    logging = sys.modules.get("logging")
    get = getattr(logging, "getLogger", None)
    if get is not None:
        get("laptime").warning(message, exc_info=error)
    else:
        say(f"{message}: {sys.exc_info()[1]!r}" if error else message)


def say(warning: str) -> None:
    """Writes a warning to the standard error, where there is one."""
    if sys.stderr is not None:
        try:
            sys.stderr.write(f"laptime: warning: {warning}\n")
        except (OSError, ValueError):
            pass
