"""ncu told by laps which kernels to profile: those of a lap, and those of a captured step

Four steps have two `sin` in the lap `forward` and two `cos` around it. `--nvtx-include` must give
the eight `sin`, `--profile-from-start off` with `lt.capture` all four of the third step.
"""

from __future__ import annotations

import csv
import glob
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path

import stage

INSTALLED = ("/usr/local/cuda*/bin/ncu", "/opt/nvidia/nsight-compute/*/ncu")
#: Clocks are left alone: by itself ncu fixes them.
USUAL = ("--clock-control", "none", "--target-processes", "all", "--print-kernel-base", "demangled")
#: How Laptime's documentation names a lap, and what else is tried where that gives other kernels.
DOCUMENTED = "laptime@step/forward/"
OTHERS = ("laptime@step/forward", "laptime@forward/")
LIMIT_S = stage.sized(55, 300)


def found() -> str | None:
    """The newest ncu that is installed."""
    installed = sorted(path for pattern in INSTALLED for path in glob.glob(pattern))
    return shutil.which("ncu") or (installed[-1] if installed else None)


def profiled(ncu: str, options: Sequence[str], *arguments: str) -> list[str]:
    """Names of the kernels that it profiled, in order. Raises with its own words on errors."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "log.csv")
        metric = ("--metrics", "gpu__time_duration.sum", "--csv", "--log-file", str(log))
        program = stage.command(stage.PACK / "programs/steps.py", *arguments)
        words = [ncu, *USUAL, *metric, *options, *program]
        done = subprocess.run(words, capture_output=True, text=True, timeout=LIMIT_S)
        lines = log.read_text().splitlines() if log.exists() else []
    errors = [line for line in lines + done.stdout.splitlines() if line.startswith("==ERROR==")]
    if errors:
        raise RuntimeError(errors[0].removeprefix("==ERROR==").strip())
    head = next((at for at, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    if done.returncode != 0:
        raise RuntimeError(f"ncu ended with {done.returncode}: {done.stderr.strip()[-200:]}")
    return [row["Kernel Name"] for row in csv.DictReader(lines[head:])]


def counted(names: list[str]) -> dict[str, int]:
    sin = sum("sin_kernel" in name for name in names)
    cos = sum("cos_kernel" in name for name in names)
    return {"sin": sin, "cos": cos, "others": len(names) - sin - cos}


def tried(ncu: str, range_: str) -> str:
    """What another name of the lap gives, as text."""
    try:
        return str(counted(profiled(ncu, ["--nvtx", "--nvtx-include", range_])))
    except (RuntimeError, subprocess.TimeoutExpired) as error:
        return str(error)


def main() -> None:
    target = "8 sin of the lap; 2 sin and 2 cos of the step; no other kernel"
    ncu = found()
    if ncu is None:
        stage.tell({}, target=target, met=None, why="ncu is not installed")
        return
    try:
        lap = counted(profiled(ncu, ["--nvtx", "--nvtx-include", DOCUMENTED]))
        step = counted(profiled(ncu, ["--profile-from-start", "off"], "capture"))
    except RuntimeError as error:
        stage.tell({}, target=target, met=None, why=f"ncu could not profile: {error}")
        return
    figures: dict[str, object] = {f"lap_{name}_count": count for name, count in lap.items()}
    figures |= {f"step_{name}_count": count for name, count in step.items()}
    wanted = {"sin": 8, "cos": 0, "others": 0}
    if lap != wanted:
        figures |= {f"by {other}": tried(ncu, other) for other in OTHERS}
    met = lap == wanted and step == {"sin": 2, "cos": 2, "others": 0}
    stage.tell(figures, target=target, met=met)


if __name__ == "__main__":
    main()
