"""Who names what takes a program's time, and how fast: profilers on programs of a known cause.

Each program of `tests/python/answers/programs` whose cause is time is run plainly and below each
profiler, one after the other. A profiler names the cause if its first 25 lines, or the rows of a
tenth of the time or more where it prints a program's text, show one of: a line that ends in
`# cause`, the function that holds it, a function that is called there. The whole of a program,
`main`, is no cause.
"""

from __future__ import annotations

import ast
import collections
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[3]
PROGRAMS = ROOT / "tests" / "python" / "answers" / "programs"
BIN = Path(sys.executable).parent
#: Lines of a terminal that are read before one scrolls.
SCREEN = 25
#: Seconds after which a run that hangs is ended; alone, none takes 20.
PATIENCE = 90
#: Share of a row's time, in percent, from which on a reader of a listing looks at it.
STRIKING = 10
#: Names that stand for a whole program.
WHOLE = {"main", "<module>", "cli"}

Found = dict[str, Any]


class Cause:
    """Where a program's time goes, by line and by the names of functions."""

    def __init__(self, program: Path) -> None:
        text = program.read_text()
        self.file = program.name
        self.lines = {n for n, line in enumerate(text.splitlines(), 1) if line.endswith("# cause")}
        self.functions: set[str] = set()
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                if self.lines & set(range(node.lineno, (node.end_lineno or 0) + 1)):
                    self.functions.add(node.name)
            elif isinstance(node, ast.Call) and node.lineno in self.lines:
                called = node.func
                name = called.attr if isinstance(called, ast.Attribute) else ""
                self.functions.add(called.id if isinstance(called, ast.Name) else name)
        self.functions -= WHOLE | {""}

    def is_named_by_line(self, screen: str) -> bool:
        """Whether one of its lines stands there with the file."""
        lines = "|".join(map(str, self.lines))
        return bool(re.search(rf"{re.escape(self.file)}:({lines})\b", screen))

    def is_named(self, screen: str) -> bool:
        """Whether a reader of the screen can tell it, generously."""
        names = "|".join(map(re.escape, self.functions)) or r"(?!)"
        return self.is_named_by_line(screen) or bool(re.search(rf"\b({names})\b", screen))


def run(command: list[str | Path], folder: Path) -> str:
    """Runs a command beside the programs, and returns what it printed until `PATIENCE` ended."""
    environment = {**os.environ, "COLUMNS": "120", "PYTHONDONTWRITEBYTECODE": "1", "TERM": "dumb"}
    with (folder / "printed").open("w+") as printed:
        started = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=printed,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            started.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            started.wait()
    return re.sub(r"\x1b\[[0-9;]*m", "", (folder / "printed").read_text(errors="replace"))


def first_lines(text: str) -> str:
    """The first screen of an answer."""
    return "\n".join([line for line in text.splitlines() if line.strip()][:SCREEN])


def by_laptime(program: str, folder: Path) -> tuple[float, str]:
    began = time.perf_counter()
    text = run([sys.executable, "-m", "laptime", "run", "-o", "run.lap", program], folder)
    return time.perf_counter() - began, first_lines(text)


def by_pyinstrument(program: str, folder: Path) -> tuple[float, str]:
    began = time.perf_counter()
    text = run([BIN / "pyinstrument", program], folder)
    took = time.perf_counter() - began
    return took, first_lines(text.partition("Program: ")[2])


def by_py_spy(program: str, folder: Path) -> tuple[float, str]:
    """Its samples in the order of `py-spy top`: functions by their own time."""
    began = time.perf_counter()
    run([BIN / "py-spy", "record", "-f", "raw", "-o", "raw", "--", sys.executable, program], folder)
    took = time.perf_counter() - began
    own: collections.Counter[str] = collections.Counter()
    raw = folder / "raw"
    for line in raw.read_text().splitlines() if raw.exists() else []:
        stack, _, count = line.rpartition(" ")
        own[stack.rpartition(";")[2]] += int(count or 0)
    return took, "\n".join(frame for frame, _ in own.most_common(SCREEN) if frame)


def by_scalene(program: str, folder: Path) -> tuple[float, str]:
    """Rows of its listing that hold a tenth of the time or more."""
    began = time.perf_counter()
    run([BIN / "scalene", "run", "-o", "scalene.json", program], folder)
    took = time.perf_counter() - began
    rows = []
    for line in run([BIN / "scalene", "view", "--cli", "scalene.json"], folder).splitlines():
        number = re.match(r" +(\d+) ", line)
        shares = [int(share) for share in re.findall(r"(\d+)% ", line)]
        if number and sum(shares) >= STRIKING:
            rows.append(f"{program}:{number[1]}")
        elif line.startswith("  ") and re.match(r" +\S+ \(line \d+\)", line):
            rows.append(line)
    return took, "\n".join(rows[:SCREEN])


TOOLS: dict[str, Callable[[str, Path], tuple[float, str]]] = {
    "laptime run": by_laptime,
    "pyinstrument": by_pyinstrument,
    "py-spy record": by_py_spy,
    "scalene run": by_scalene,
}


def plainly(program: str, folder: Path) -> float:
    """Seconds that a program takes by itself."""
    began = time.perf_counter()
    run([sys.executable, program], folder)
    return time.perf_counter() - began


def collected(only: list[str]) -> dict[str, dict[str, Found]]:
    """What each tool says of each program, in the order of their names."""
    results: dict[str, dict[str, Found]] = {}
    for path in sorted(PROGRAMS.glob("*.py")):
        cause = Cause(path)
        if not cause.lines or path.stem.startswith("leak_") or (only and path.stem not in only):
            continue
        results[path.stem] = {}
        for tool, look in TOOLS.items():
            with tempfile.TemporaryDirectory() as name:
                folder = Path(name)
                (folder / path.name).write_text(path.read_text())
                bare = plainly(path.name, folder)
                took, screen = look(path.name, folder)
            by_line, named = cause.is_named_by_line(screen), cause.is_named(screen)
            ratio = took / bare if took < PATIENCE else None
            results[path.stem][tool] = {"named": named, "by_line": by_line, "ratio": ratio}
            if only:
                print(f"--- {tool}\n{screen}", file=sys.stderr)
        print(path.stem, json.dumps(results[path.stem]), file=sys.stderr)
    return results
