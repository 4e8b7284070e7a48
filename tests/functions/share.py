"""Compares the shares of functions that `laptime run` samples with those that a clock measured.

Runs `planted.py` for a minute under `laptime run` and prints a table. Exits with 1 if a
share of `step/data` is off by more than 2 points, or the lap has fewer than 1,500 samples.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

PROGRAM = Path(__file__).resolve().with_name("planted.py")
LAP = "step/data"
SECONDS, LIMIT_S = 60, 600
MOST_POINTS, LEAST_SAMPLES = 2.0, 1_500
COLUMNS = "{:<10} {:>10} {:>12} {:>12} {:>8} {:>16}"


def run(folder: Path) -> tuple[dict[str, float], dict[str, Any]]:
    """What the functions took by the clock, and the lap with its functions as sampled."""
    laptime = [sys.executable, "-m", "laptime"]
    command = [*laptime, "run", "-o", "share.lap", str(PROGRAM), str(SECONDS)]
    limits: Any = {"cwd": folder, "timeout": LIMIT_S, "check": True}
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, **limits)
    command = [*laptime, "report", "share.lap", "-f", "json"]
    told = subprocess.run(command, stdout=subprocess.PIPE, **limits)
    laps = json.loads(told.stdout)["functions"]["laps"]
    return json.loads(ran.stdout), next(lap for lap in laps if lap["path"] == LAP)


def main() -> int:
    """Prints the table and says whether all of it is right."""
    with tempfile.TemporaryDirectory() as folder:
        spent, lap = run(Path(folder))
    samples, whole = lap["sample_count"], sum(spent.values())
    told = {one["name"]: one for one in lap["functions"]}
    print(
        COLUMNS.format("function", "samples", "by a clock", "sampled", "off by", "expected within")
    )
    worst = 0.0
    for name, seconds in sorted(spent.items(), key=lambda item: -item[1]):
        true = seconds / whole
        found = told.get(name, {"self_count": 0, "self_ns": 0})
        points = 100 * (found["self_ns"] / lap["total_ns"] - true)
        within = 100 * 2 * math.sqrt(true * (1 - true) / samples)
        worst = max(worst, abs(points))
        print(
            COLUMNS.format(
                name,
                found["self_count"],
                f"{100 * true:.1f} %",
                f"{100 * found['self_ns'] / lap['total_ns']:.1f} %",
                f"{points:+.1f}",
                f"± {within:.1f} points",
            )
        )
    is_right = worst <= MOST_POINTS and samples >= LEAST_SAMPLES
    print(
        f"{LAP}: {samples:,} samples, at least {LEAST_SAMPLES:,} wanted; the worst share is off by "
        f"{worst:.1f} points, at most {MOST_POINTS:g} wanted: {'right' if is_right else 'WRONG'}"
    )
    return 0 if is_right else 1


if __name__ == "__main__":
    sys.exit(main())
