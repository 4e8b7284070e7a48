"""Runs the blocks of a page, in a folder of its own, as a reader would: from above to below."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from snippets import Snippet

ROOT = Path(__file__).resolve().parents[2]
#: Between the outputs of two blocks of Python.
_CUT = "\x1eend of block\x1e"
_PATIENCE_S = 300
_TORCH = re.compile(r"^\s*(import|from) torch\b", re.MULTILINE)


@dataclass
class Ran:
    """A block that was run."""

    snippet: Snippet
    status: int
    #: What it wrote to both streams.
    printed: str


def cells_of(snippets: list[Snippet]) -> list[Snippet]:
    """Blocks of Python that share their names, like the cells of a notebook."""
    return [one for one in snippets if one.kind == "python" and one.not_run is None]


def import_torch(cells: list[Snippet]) -> bool:
    """Whether one of them does."""
    return any(_TORCH.search(one.code) for one in cells)


def run(snippets: list[Snippet], folder: Path, python: str | Path) -> Iterator[Ran]:
    """Runs what is to be run: the page's cells in `python`, all else where it says."""
    for snippet in snippets:
        kind, _, name = snippet.kind.partition(": ")
        if kind == "copy":
            source, target = name.split()
            shutil.copy(ROOT / source, folder / target)
        elif kind in ("file", "script") and snippet.not_run is None:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(snippet.code, encoding="utf-8")
    cells = cells_of(snippets)
    outputs = dict(zip(map(id, cells), _in_order(cells, folder, python), strict=False))
    for snippet in snippets:
        if snippet.not_run is not None:
            continue
        kind, _, name = snippet.kind.partition(": ")
        if snippet.kind == "python":
            status, printed = outputs.get(id(snippet), (1, "an earlier block failed"))
            yield Ran(snippet, status, printed)
        elif kind == "script":
            yield Ran(snippet, *_started([sys.executable, name], folder))
        elif snippet.kind == "sh":
            yield Ran(snippet, *_shell(snippet.code.splitlines(), folder))
        elif snippet.kind == "text" and snippet.code.startswith("$ "):
            lines = snippet.code.splitlines()
            commands = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
            yield Ran(snippet, *_shell(commands, folder))


def _in_order(cells: list[Snippet], folder: Path, python: str | Path) -> list[tuple[int, str]]:
    if not cells:
        return []
    program = folder / "page.py"
    program.write_text(f"print({_CUT!r}, flush=True)\n".join(one.code for one in cells))
    status, printed = _started([str(python), program.name], folder)
    each = printed.split(_CUT + "\n")
    return [(0, text) for text in each[:-1]] + [(status, each[-1])]


def _shell(commands: list[str], folder: Path) -> tuple[int, str]:
    printed = []
    for command in commands:
        status, text = _started(["bash", "-c", command], folder)
        printed.append(text)
        if status:
            printed.append(f"exit code {status}: {command}\n")
            return status, "".join(printed)
    return 0, "".join(printed)


def _started(command: list[str], folder: Path) -> tuple[int, str]:
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("LAPTIME")
    }
    environment["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), environment["PATH"]])
    try:
        ended = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=_PATIENCE_S,
            check=False,
        )
    except subprocess.TimeoutExpired as stopped:
        return 124, f"{shlex.join(command)}: no end after {stopped.timeout:.0f} s"
    return ended.returncode, ended.stdout.decode(errors="replace")
