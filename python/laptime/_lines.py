"""Writes a line where a program shows its progress."""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TextIO


def write(line: str, file: TextIO | None, bar: Any = None) -> None:
    """Writes a line to a file; above the bars of tqdm's where the program shows any.

    `bar` is one that is known. Without a file, as in a program without a console, it goes nowhere.
    """
    if file is None:
        return
    above = _bars(bar)
    if above is not None:
        above.write(line, file=file)
        return
    file.write(f"{line}\n")
    file.flush()


def is_bar(items: object) -> bool:
    """Whether items are shown by a bar of tqdm's."""
    bars = getattr(sys.modules.get("tqdm.std"), "tqdm", None)
    return isinstance(bars, type) and isinstance(items, bars)


def _bars(bar: Any) -> Any:
    """The class of the bars that are shown."""
    if bar is not None:
        shown: Any = bar.__class__
        return shown
    bars: Any = getattr(sys.modules.get("tqdm.std"), "tqdm", None)
    return bars if getattr(bars, "_instances", None) else None
