"""Runs programs under `laptime run` and reads what they left.

Nothing here needs torch: these tests run on every interpreter of the machine.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

LAPTIME = [sys.executable, "-m", "laptime"]


@dataclass
class Outcome:
    """How a program ended and where its recording is."""

    code: int
    out: str
    err: str
    recording: Path

    def summary(self) -> dict[str, Any]:
        """The recording's summary, as the command prints it for programs."""
        return summary(self.recording)

    @property
    def warnings(self) -> list[str]:
        return [line for line in self.err.splitlines() if line.startswith("laptime: warning")]


def summary(recording: Path) -> dict[str, Any]:
    report = subprocess.run(
        [*LAPTIME, "report", str(recording), "-f", "json"],
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert report.returncode == 0, report.stderr
    return json.loads(report.stdout)


def count(summary: dict[str, Any], name: str) -> int:
    """Finished spans of a name, over all paths that end in it."""
    return sum(row["count"] or 0 for row in summary["rows"] if row["names"][-1] == name)


class Runner:
    """Writes a script into a folder and runs it there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def script(self, source: str, name: str = "program.py") -> Path:
        path = self.folder / name
        path.write_text(textwrap.dedent(source))
        return path

    def __call__(
        self,
        source: str,
        *arguments: str,
        recording: Path | None = None,
        environment: dict[str, str] | None = None,
        before: list[str] | None = None,
    ) -> Outcome:
        script = self.script(source)
        recording = recording or self.folder / "program.lap"
        command = [*LAPTIME, "run", "-o", str(recording), "--", str(script), *arguments]
        done = subprocess.run(
            [*(before or []), *command],
            cwd=self.folder,
            env={**os.environ, **(environment or {})},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=500,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr, recording)

    def alone(self, source: str, *arguments: str, before: list[str] | None = None) -> Outcome:
        """Runs the script without the launcher; it records by itself."""
        done = subprocess.run(
            [*(before or []), sys.executable, str(self.script(source)), *arguments],
            cwd=self.folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=500,
            check=False,
        )
        return Outcome(done.returncode, done.stdout, done.stderr, self.folder / "program.lap")
