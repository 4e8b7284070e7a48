"""The programs: where they are, how each wants to be started, what it needs to be there.

A program is `programs/<kind>/<name>.py`, or a folder `programs/<kind>/<name>/` with a `main.py`
and companions. Comments in its head say what is special about it:

    # needs: torch, numpy     modules without which it is left out
    # python: 3.11            the oldest Python it runs on
    # start: -m package       instead of as a script; or `-c`, or `- arguments` (from stdin)
    # also: no-auto           further ways to run it, see ways.py
    # subset: no              too long for the fixed subset

What a program reads from its standard input stands beside it, in `<name>.stdin`.
"""

from __future__ import annotations

import functools
import importlib.util
import re
import sys
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent.parent / "programs"
_HEAD = re.compile(r"^# (needs|python|start|also|subset): (.+)$", re.MULTILINE)


@dataclass(frozen=True)
class Program:
    """One program and what its head says."""

    kind: str
    name: str
    path: Path
    needs: tuple[str, ...] = ()
    python: tuple[int, ...] = (3, 10)
    start: str = ""
    also: tuple[str, ...] = ()
    in_subset: bool = True

    def __str__(self) -> str:
        return f"{self.kind}/{self.name}"

    def arguments(self) -> list[str]:
        """What follows the interpreter's name."""
        if not self.start:
            return [str(self.path)]
        if self.start == "-c":
            return ["-c", self.path.read_text()]
        return self.start.split()

    def import_path(self) -> Path | None:
        """Where `-m` finds it."""
        return self.path.parent if self.start.startswith("-m") else None

    def stdin(self) -> Path:
        """What its standard input is."""
        if self.start.split()[:1] == ["-"]:
            return self.path
        beside = self.path.with_suffix(".stdin")
        return beside if beside.exists() else Path("/dev/null")

    def why_not_here(self) -> str | None:
        """Why this interpreter can't run it."""
        if sys.version_info < self.python:
            return f"needs Python {'.'.join(map(str, self.python))}"
        absent = [module for module in self.needs if not _is_installed(module)]
        return f"needs {', '.join(absent)}" if absent else None


@functools.cache
def _is_installed(module: str) -> bool:
    return importlib.util.find_spec(module) is not None


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(","))


def _program(path: Path) -> Program:
    inside = path.name == "main.py"
    kind, name = (path.parts[-3], path.parts[-2]) if inside else (path.parts[-2], path.stem)
    head = dict(_HEAD.findall(path.read_text()))
    return Program(
        kind=kind,
        name=name,
        path=path,
        needs=_words(head["needs"]) if "needs" in head else (),
        python=tuple(int(part) for part in head.get("python", "3.10").split(".")),
        start=head.get("start", ""),
        also=_words(head["also"]) if "also" in head else (),
        in_subset=head.get("subset") != "no",
    )


@functools.cache
def programs() -> tuple[Program, ...]:
    """Every program, by kind and name."""
    found = [*FOLDER.glob("*/*.py"), *FOLDER.glob("*/*/main.py")]
    return tuple(sorted(map(_program, found), key=str))
