"""An unedited training under `laptime run`: each phase's time on the device, beside its own events

The training has events of its own around forward, backward and optimizer.
"""

from __future__ import annotations

import json
import sys
import tempfile

import stage

import laptime as lt

PHASES = ("forward", "backward", "optimizer")


def main() -> None:
    target = "each phase within 5 % of its events, and each step timed"
    program = stage.command(stage.PACK / "programs/trains.py")[1:]
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/trains.lap"
        words = [sys.executable, "-m", "laptime", "run", "-o", path, *program]
        steps = json.loads(stage.child(words).splitlines()[-1])
        report = lt.open(path).report()
    rows = [report[f"step/{name}"] for name in PHASES]
    figures: dict[str, float] = {"steps_count": len(steps)}
    held = True
    for at, (name, row) in enumerate(zip(PHASES, rows)):
        if row.device_ns is None or not row.device_count:
            why = f"{name}: {row.why('device_ns')}"
            stage.tell(figures, target=target, met=False, why=why)
            return
        figures[f"{name}_ms"] = row.device_ns / 1e6
        figures[f"{name}_by_events_ms"] = sum(one[at] for one in steps)
        held &= stage.within(figures[f"{name}_ms"], figures[f"{name}_by_events_ms"], 0.05)
    timed = min(row.device_count or 0 for row in rows)
    figures["steps_timed_count"] = timed
    stage.tell(figures, target=target, met=held and timed == len(steps))


if __name__ == "__main__":
    main()
