"""Output with its numbers masked: a page shows what is printed, whatever a machine measures."""

from __future__ import annotations

import re
from collections.abc import Iterator

_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_BARS = re.compile("[█▉▊▋▌▍▎▏]+")
_LINES = re.compile("[─=-]{3,}")
_UNITS = "ns|µs|us|ms|s|min|h|B|KiB|MiB|GiB|%|\N{MULTIPLICATION SIGN}|k|M|G|T|[kMGT]?FLOPS"
_NUMBERS = re.compile(
    rf"(?<![\w.])[-+±]?\d[\d,]*(?:\.\d+)?(?:e[-+]?\d+)?(?: ?(?:{_UNITS})(?![\w/]))?"
)
#: Which row of a tree is the last is up to the machine.
_LAST_ROW, _ROW = "└─", "├─"
#: A table has the columns that fit, and their widths are those of its numbers.
_REPEATED = re.compile(r"#(?: #)+")
_LEFT_OUT = "left out to fit the width"
_HEADINGS = ("span ", "module ", "lap ")
#: How many steps are warm-up is up to the machine, and one has words of its own.
_ONE = (("first step", "first # steps"), ("# step of", "# steps of"), ("after it.", "after them."))
#: The line below the headline.
_FACTS = re.compile(r"[\d,]+ spans ·|\d+ runs? against")
_BUSY = "busy"
_WARM_UP = "· Warm-up took longer"
#: Whether there is a warm-up is up to the machine as well. A line may break in it.
_AFTER = re.compile(r"After\s+warm-up,\s+a(?=n?\s)")
#: The first step of each side's steady state, said twice where the sides differ; it may break.
_SIDES = re.compile(r"steady\s+state\s+from\s+step\s+\d+(?:,\s+new\s+from\s+step\s+\d+)?")
#: Which stretch a table is of, and what the run did beside it.
_STRETCH = re.compile(
    r"(?:^|(?<=, ))(?:after warm-up:|from (?:the first \w+|\w+ \d+) on:|whole run:).*$",
    re.MULTILINE,
)
_REST = re.compile(
    r"^the rest of the run: .*?\s+has\s+all\s+of\s+it\)$",
    re.MULTILINE | re.DOTALL,
)
#: Said only where a few steps took long, or according to how fast a program began; a line may
#: break in it.
_SOMETIMES = re.compile(
    r"\s+on\s+average,\s+\S+\s\S+\s+usually"
    r"|\s+from\s+(?:launch\s+to\s+exit|the\s+start\s+of\s+the\s+recording)(?=;)"
)


def words(text: str) -> list[str]:
    """The words of an output: its numbers are `#`, bars and lines are gone."""
    text = _AFTER.sub("A", text)
    text = _LINES.sub(" ", _BARS.sub(" ", _COLOURS.sub("", text)))
    text = text.replace(_LAST_ROW, _ROW)
    text = _NUMBERS.sub("#", " ".join(text.split()))
    text = _REPEATED.sub("#", text)
    for one, several in _ONE:
        text = text.replace(one, several)
    return text.replace("under #", "#").split()


def missing(shown: str, printed: str) -> str | None:
    """The first of what is shown that isn't printed; None if everything is.

    What is printed may say more, and in another order: how long things take decides which findings
    there are, and which row comes first. A line `…` stands for anything.

    Where the machine was busy, and says so, sentences may be others than those shown: then what
    they are about must be there. A warm-up is no finding then: what is busy isn't warm.
    """
    shown, printed = _settled(shown), _settled(printed)
    stream = words(_SOMETIMES.sub("", printed))
    is_disturbed = _BUSY in printed and _BUSY not in shown
    for unit in _units(_SOMETIMES.sub("", shown)):
        wanted = words(unit)
        if is_disturbed and unit.startswith(_WARM_UP):
            continue
        if is_disturbed and "#" in wanted:
            subject = 1 if wanted[0].endswith(":") else 2
            wanted = wanted[: min(wanted.index("#"), subject)]
        if not any(_is_at(stream, wanted, at) for at in range(len(stream) - len(wanted) + 1)):
            return unit
    return None


def _settled(text: str) -> str:
    """The text of a table that is of any stretch."""
    return _SIDES.sub("steady", _REST.sub("", _STRETCH.sub("stretch", text)))


def _units(shown: str) -> Iterator[str]:
    """What must be printed in one piece: rows, sentences with their further lines."""
    lines = shown.splitlines()
    facts = next((index for index, line in enumerate(lines) if _FACTS.match(line)), 0)
    yield from _of_headline(" ".join(lines[:facts]))
    unit = ""
    for line in lines[facts:]:
        if line.startswith("  ") and unit.startswith("·"):
            unit += line
            continue
        yield from _compared(unit)
        unit = line
    yield from _compared(unit)


def _of_headline(headline: str) -> Iterator[str]:
    """The program, and what takes how long; which parts are named first is up to the machine."""
    if headline.strip():
        yield headline.split()[0]
        yield from re.findall(
            r"(?:An? )?\S+ takes \S+ \S+", headline.replace("\N{NO-BREAK SPACE}", " ")
        )


def _compared(unit: str) -> Iterator[str]:
    if unit.strip() in ("", "…") or unit.startswith(_LEFT_OUT):
        return
    yield unit.split()[0] if unit.startswith(_HEADINGS) else unit


def _is_at(stream: list[str], wanted: list[str], at: int) -> bool:
    return all(one in ("…", there) for one, there in zip(wanted, stream[at:], strict=False))
