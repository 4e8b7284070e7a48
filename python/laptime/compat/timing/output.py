"""Where the lines go: standard output, unless silenced; reasons go to the logger, once each."""

from __future__ import annotations

import sys

#: What stands for a figure that there is none of.
NONE = "\N{EN DASH}"

_is_quiet = False
_said: set[str] = set()


def quiet(on: bool = True) -> None:
    """Silences the lines that `track_*` functions print; `quiet(False)` lets them print again.

    What is asked for by a `print_*` function is still printed.
    """
    global _is_quiet
    _is_quiet = bool(on)


def is_quiet() -> bool:
    """Whether lines are silenced."""
    return _is_quiet


def say(text: str) -> None:
    """Prints lines, with escapes in place of what the output cannot show."""
    out = sys.stdout
    if out is None:  # pyright: ignore[reportUnnecessaryComparison] # so it is under pythonw
        return
    try:
        out.write(text + "\n")
    except UnicodeEncodeError:
        encoding = getattr(out, "encoding", None) or "ascii"
        out.write(text.encode(encoding, "backslashreplace").decode(encoding) + "\n")


def say_done(text: str) -> None:
    """Prints the line of a tracked call. An output that is gone takes nothing from the program."""
    if not _is_quiet:
        try:
            say(text)
        except (OSError, ValueError):
            pass


def say_why(reason: str) -> None:
    """Tells the logger why a figure is absent or coarse, the first time."""
    if reason not in _said:
        import logging

        _said.add(reason)
        logging.getLogger("laptime").warning("%s", reason)
