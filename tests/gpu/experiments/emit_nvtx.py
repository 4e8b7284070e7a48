"""`torch.autograd.profiler.emit_nvtx()` beside laps: a tool receives both, and all are closed

The tool is a receiver of the pack's, compiled from NVIDIA's header, that writes down each call.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from pathlib import Path

import stage

RECEIVER = stage.PACK / "lib/receiver.so"


def main() -> None:
    target = "4 laps and the operators inside them, each range closed"
    if not RECEIVER.exists():
        why = "the pack has no receiver: NVIDIA's header or gcc was missing when it was built"
        stage.tell({}, target=target, met=None, why=why)
        return
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder, "calls.tsv")
        tool = {"NVTX_INJECTION64_PATH": str(RECEIVER), "NVTX_LOG": str(log), "NVTX_PLAIN": "1"}
        stage.child(stage.command(stage.PACK / "programs/emits.py"), **tool)
        lines = log.read_text().splitlines() if log.exists() else []
    calls = [line.split("\t") for line in lines]
    laps, operators, inside, open_ = 0, 0, 0, Counter[tuple[str, str]]()
    for what, _process, thread, domain, name, *_ in calls:
        if what == "push":
            open_[thread, domain] += 1
            if domain == "laptime":
                laps += 1
            elif name.startswith("aten::"):
                operators += 1
                inside += open_[thread, "laptime"] > 0
        elif what == "pop":
            open_[thread, domain] -= 1
    is_closed = not any(open_.values())
    figures = {
        "laps_count": laps,
        "operators_count": operators,
        "operators_inside_laps_count": inside,
        "threads_count": len({thread for thread, _domain in open_}),
        "left_open_count": sum(map(abs, open_.values())),
    }
    stage.tell(figures, target=target, met=laps == 4 and inside >= 4 and is_closed)


if __name__ == "__main__":
    main()
