"""Three steps profiled by `laptime run --kernels`: the kernels of each phase, beside its own events

PyTorch's profiler tells the kernels and Laptime says which phase launched them. The training's
events are around the same phases of the same steps, on a device that is never idle.
"""

from __future__ import annotations

import json
import sys
import tempfile
from typing import Any

import stage

import laptime as lt

PHASES = ("forward", "backward", "optimizer")
FIRST, END = stage.sized(8, 2), stage.sized(11, 4)
PART = 0.10


def of_phase(laps: list[dict[str, Any]], phase: str) -> list[dict[str, Any]]:
    """The laps that are the phase, or inside of it."""
    path = f"profiled step/{phase}"
    return [lap for lap in laps if lap["path"] == path or lap["path"].startswith(f"{path}/")]


def main() -> None:
    target = f"kernels of each phase within {PART:.0%} of its events"
    program = stage.command(stage.PACK / "programs/trains.py")[1:]
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/trains.lap"
        profiled = ["--kernels", f"{FIRST}:{END}", "-o", path]
        words = [sys.executable, "-m", "laptime", "run", *profiled, *program]
        steps = json.loads(stage.child(words).splitlines()[-1])[FIRST:END]
        told = json.loads(lt.open(path).report().to_json())
    laps = (told.get("operators") or {}).get("laps", [])
    figures: dict[str, float] = {"operators_count": sum(lap["call_count"] for lap in laps)}
    kernels = [kernel for lap in laps for kernel in lap.get("kernels", [])]
    if not kernels:
        said = [one["message"] for one in told["warnings"] if one["code"].startswith("kernels")]
        why = "; ".join(["PyTorch's profiler saw no kernel", *said])
        stage.tell(figures, target=target, met=None if laps else False, why=why)
        return
    held = True
    for at, phase in enumerate(PHASES):
        inside = [kernel for lap in of_phase(laps, phase) for kernel in lap.get("kernels", [])]
        figures[f"{phase}_kernels_ms"] = sum(kernel["total_ns"] for kernel in inside) / 1e6
        figures[f"{phase}_by_events_ms"] = sum(step[at] for step in steps)
        held &= stage.within(figures[f"{phase}_kernels_ms"], figures[f"{phase}_by_events_ms"], PART)
    figures["kernels_count"] = sum(kernel["call_count"] for kernel in kernels)
    stage.tell(figures, target=target, met=held)


if __name__ == "__main__":
    main()
