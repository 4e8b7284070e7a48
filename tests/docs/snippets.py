"""What a page of the documentation shows as code, in order, and what is to be done with it.

A comment right above a fence says what is special about it:

    <!-- not run: needs a GPU -->     the block is listed, not run
    <!-- file: train.py -->           the block is written to this file, not run
    <!-- script: leak.py -->          the block is written to this file, and run by itself

A comment that has more lines is code that readers need not see: the rest of it is what a fence
would hold, its first line says what that is: `python`, `sh`, `file: train.py`. The comment
`copy: <file> <name>` copies a file of the repository to where the page runs. A fence called `text`
is the output of the block above it; so is what follows a `$ ` in one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

#: A comment, or a fence, at the beginning of a line.
_PARTS = re.compile(
    r"^<!-- (?P<note>[^\n]*?)(?: -->|\n(?P<hidden>.*?)\n-->)\n"
    r"|^(?P<indent> *)```(?P<kind>[^\n]*)\n(?P<code>.*?)^(?P=indent)```\n",
    re.MULTILINE | re.DOTALL,
)


@dataclass
class Snippet:
    """A block of a page."""

    #: `python`, `sh`, `text`, `file: <name>`, `script: <name>`, `copy: <file> <name>`, or a
    #: language that isn't run.
    kind: str
    code: str
    #: Line of the page at which its code begins, from 1.
    line: int
    #: Where its code is, in characters of the page.
    start: int
    end: int
    #: Why it isn't run.
    not_run: str | None = None


def of_page(page: Path) -> list[Snippet]:
    """The blocks of a page, in order."""
    text = page.read_text(encoding="utf-8")
    found: list[Snippet] = []
    note, noted_until = None, -1
    for part in _PARTS.finditer(text):
        if part["note"] is not None:
            if part["hidden"] is not None or part["note"].startswith("copy: "):
                span = part.span("hidden")
                hidden = f"{part['hidden']}\n" if part["hidden"] else ""
                found.append(Snippet(part["note"], hidden, _line(text, span[0]), *span))
            else:
                note, noted_until = part["note"], part.end()
            continue
        if noted_until < 0 or text[noted_until : part.start()].strip():
            note = None
        span = part.span("code")
        code = re.sub(f"^{part['indent']}", "", part["code"], flags=re.MULTILINE)
        snippet = Snippet(part["kind"], code, _line(text, span[0]), *span)
        if note is not None and note.startswith("not run: "):
            snippet.not_run = note.removeprefix("not run: ")
        elif note is not None and note.startswith(("file: ", "script: ")):
            snippet.kind = note
        found.append(snippet)
    return found


def _line(text: str, at: int) -> int:
    return text.count("\n", 0, max(at, 0)) + 1
