"""Compares what `laptime run` tells of trainings with timers that stand in them by hand.

Runs every program of `programs`, or those named on the command line, and prints one table. A phase
is right if its count is exact and its total is within 3 % of the total by hand, or within 0.3 % of
the time from the first to the last timer. Exits with 1 if any phase is off.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
#: What the programs call the phases, and the paths that Laptime tells.
PATHS = {
    "step": "step",
    "data": "step/data",
    "forward": "step/forward",
    "backward": "step/backward",
    "optimizer": "step/optimizer",
    "evaluation": "evaluation",
    "loading": "loading",
}
#: Compared even if the program has no timer of that name: then there must be none.
WHOLE = ("step", "evaluation", "loading")
#: Of the total by hand, and of the time from the first to the last timer.
PHASE_RATIO, RUN_RATIO = 0.03, 0.003
#: A program takes some seconds; one that hangs must not hold up the others.
LIMIT_S = 300
COLUMNS = "{:<18} {:<15} {:>7} {:>7} {:>10} {:>10} {:>7}  {}"


@dataclass(frozen=True)
class Figure:
    """How often a phase came, and how long it took in total where that is known."""

    count: int = 0
    total_ns: int | None = 0


@dataclass(frozen=True)
class Row:
    """One phase of one program, by hand and as told."""

    phase: str
    by_hand: Figure
    told: Figure
    spanned_ns: int

    @property
    def is_right(self) -> bool:
        """Whether both say the same."""
        if self.by_hand.count != self.told.count:
            return False
        if self.by_hand.total_ns is None or self.told.total_ns is None:
            return True
        allowed = max(PHASE_RATIO * self.by_hand.total_ns, RUN_RATIO * self.spanned_ns)
        return abs(self.told.total_ns - self.by_hand.total_ns) <= allowed

    def line(self, program: str) -> str:
        """The table's line."""
        by_hand, told = self.by_hand, self.told
        ratio = "-"
        if by_hand.total_ns and told.total_ns is not None:
            ratio = f"{told.total_ns / by_hand.total_ns:.4f}"
        return COLUMNS.format(
            program,
            self.phase,
            by_hand.count,
            told.count,
            milliseconds(by_hand.total_ns),
            milliseconds(told.total_ns),
            ratio,
            "ok" if self.is_right else "OFF",
        )


def milliseconds(nanoseconds: int | None) -> str:
    """A time as the table shows it."""
    return "-" if nanoseconds is None else f"{nanoseconds / 1e6:.1f}"


def figures_by_hand(path: Path) -> tuple[dict[str, Figure], int]:
    """The sums over a program's processes, and the time that their timers span."""
    figures: dict[str, Figure] = {}
    spanned_ns = 0
    for text in path.read_text(encoding="utf-8").splitlines():
        line = json.loads(text)
        spanned_ns += line["spanned_ns"]
        for name, (count, total_ns) in line["timers"].items():
            so_far = figures.get(name, Figure())
            figures[name] = Figure(so_far.count + count, (so_far.total_ns or 0) + total_ns)
        for name, count in line["counts"].items():
            figures[name] = Figure(figures.get(name, Figure()).count + count, None)
    return figures, spanned_ns


def figures_told(report: dict[str, Any]) -> dict[str, Figure]:
    """What the report says of the phases that the programs know."""
    rows = {row["path"]: row for row in report["rows"]}
    figures = {
        name: Figure(rows[path]["count"], rows[path]["total_ns"])
        for name, path in PATHS.items()
        if path in rows
    }
    figures["epochs"] = Figure(len(report.get("epochs") or ()), None)
    return figures


def rows_of(by_hand: dict[str, Figure], told: dict[str, Figure], spanned_ns: int) -> list[Row]:
    """Every phase that is to be compared, in the table's order."""
    rows = []
    for name in (*PATHS, "epochs"):
        if name in by_hand or (name in WHOLE and name in told):
            figures = by_hand.get(name, Figure()), told.get(name, Figure())
            rows.append(Row(PATHS.get(name, name), *figures, spanned_ns))
    return rows


def measure(program: Path, folder: Path) -> list[Row]:
    """Runs a program under Laptime, unedited, in a folder of its own."""
    times, recording = folder / "times.jsonl", folder / "run.lap"
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("LAPTIME")},
        "PYTHONPATH": str(HERE),
        "UNEDITED_TIMES": str(times),
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
    }
    laptime = [sys.executable, "-m", "laptime"]
    for arguments in (
        ["run", "-o", str(recording), "--", str(program)],
        ["report", str(recording), "-f", "json"],
    ):
        done = subprocess.run(
            [*laptime, *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LIMIT_S,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"laptime {arguments[0]} of {program.name}: {done.stderr[-2000:]}")
    by_hand, spanned_ns = figures_by_hand(times)
    return rows_of(by_hand, figures_told(json.loads(done.stdout)), spanned_ns)


def main() -> int:
    """Compares the programs and prints the table."""
    named = [HERE / "programs" / f"{name}.py" for name in sys.argv[1:]]
    programs = named or sorted((HERE / "programs").glob("*.py"))
    heads = ("program", "phase", "by hand", "told", "ms by hand", "ms told", "ratio", "verdict")
    print(COLUMNS.format(*heads), flush=True)
    right = 0
    for program in programs:
        with tempfile.TemporaryDirectory(prefix="unedited-") as folder:
            try:
                rows = measure(program, Path(folder))
            except (OSError, RuntimeError, subprocess.TimeoutExpired) as error:
                print(error, file=sys.stderr)
                print(f"{program.stem:<18} did not run: OFF", flush=True)
                continue
        for row in rows:
            print(row.line(program.stem), flush=True)
        right += bool(rows) and all(row.is_right for row in rows)
    print(f"{right} of {len(programs)} programs: every phase ok")
    return int(right < len(programs))


if __name__ == "__main__":
    sys.exit(main())
