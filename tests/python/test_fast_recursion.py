"""Lines of functions that are over sooner than a stack is read."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

PROGRAM = Path(__file__).parent / "answers/programs/recursion_classes.py"
FUNCTION = "Leafy.visit"
#: Its line that builds a set of hundreds, two thirds of a visit of some microseconds by a clock.
LONGEST = 18


def test_the_line_that_takes_longest_is_told_of_a_fast_recursion(tmp_path: Path) -> None:
    recording = str(tmp_path / "run.lap")
    command = [sys.executable, "-m", "laptime"]
    subprocess.run([*command, "run", "-o", recording, str(PROGRAM)], check=True)
    told = subprocess.run(
        [*command, "report", recording, "-f", "json"], check=True, capture_output=True
    )
    lines: dict[int, int] = {}
    for lap in json.loads(told.stdout)["functions"]["laps"]:
        for function in lap["functions"]:
            if function["name"] == FUNCTION:
                for line in function["lines"]:
                    lines[line["line"]] = lines.get(line["line"], 0) + line["self_ns"]
    assert max(lines, key=lines.__getitem__) == LONGEST, lines
