"""Output with its numbers masked: a page shows what is printed, whatever a machine measures."""

from __future__ import annotations

import re

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_BARS = re.compile("[█▉▊▋▌▍▎▏]+")
_LINES = re.compile("[─=-]{3,}")
_UNITS = "ns|µs|us|ms|s|min|h|B|KiB|MiB|GiB|%|k|M|G|T"
_NUMBERS = re.compile(
    rf"(?<![\w.])[-+±]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?: ?(?:{_UNITS})(?![\w/]))?"
)
#: A table has the columns that fit, and their widths are those of its numbers.
_REPEATED = re.compile(r"#(?: #)+")
_LEFT_OUT = "left out to fit the width"
_HEADINGS = ("span ", "module ")
#: Said only where a few steps took long; and a line may break in it.
_SOMETIMES = re.compile(r"\s+usually,\s+\S+\s\S+\s+on\s+average")


def words(text: str) -> list[str]:
    """The words of an output: its numbers are `#`, bars and lines are gone."""
    text = _LINES.sub(" ", _BARS.sub(" ", _COLOURS.sub("", text)))
    text = _NUMBERS.sub("#", text.replace("\N{NO-BREAK SPACE}", " "))
    text = _REPEATED.sub("#", " ".join(text.split()))
    return text.replace("under #", "#").split()


def missing(shown: str, printed: str) -> str | None:
    """The first line of `shown` that isn't in `printed` after the lines before it; None if all are.

    What is printed may say more: a machine that others use makes findings and warnings of its own.
    A line `…` stands for anything.
    """
    stream, at = words(_SOMETIMES.sub("", printed)), 0
    for line in _SOMETIMES.sub("", shown).splitlines():
        wanted = words(line)[: 1 if line.startswith(_HEADINGS) else None]
        if not wanted or wanted == ["…"] or line.startswith(_LEFT_OUT):
            continue
        found = _find(stream, wanted, at)
        if found is None:
            return line
        at = found + len(wanted)
    return None


def _find(stream: list[str], wanted: list[str], start: int) -> int | None:
    for at in range(start, len(stream) - len(wanted) + 1):
        if all(one in ("…", there) for one, there in zip(wanted, stream[at:], strict=False)):
            return at
    return None
