"""A machine whose ceilings are known, so that no run with `--ops` measures them first.

Measuring takes ten seconds of all processors, and again for every run while the machine is busy.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from laptime._core import machine

# Reached at most by two processors of today; no program of the suite sees the numbers.
_FLOP_PER_S, _BYTES_PER_S = 1e11, 2e10


def know_ceilings(cache: Path) -> None:
    """Stores ceilings where Laptime looks for those of this machine."""
    processor, count = machine()
    name = f"{processor}, {count} processors"
    path = cache / "laptime" / f"ceilings-{re.sub('[^A-Za-z0-9]', '-', name)}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    flop = {"flop": "float32"}
    all_of_them = [
        _ceiling("instructions", flop, _FLOP_PER_S),
        _ceiling("instructions", "bytes", _BYTES_PER_S),
        _ceiling("framework", flop, _FLOP_PER_S),
    ]
    said = {"machine": name, "taken_realtime_ns": 0, "all": all_of_them, "absent": []}
    part = path.with_suffix(f".{os.getpid()}.part")
    part.write_text(json.dumps(said))
    part.replace(path)


def _ceiling(origin: str, bound: object, per_s: float) -> dict[str, object]:
    """One that was measured on a quiet machine."""
    measured = {
        "how": "as the suite has it",
        "samples": 100,
        "median_ratio": 1.0,
        "cpu_ratio": 1.0,
        "threads": 1,
        "tries": 1,
    }
    return {"device": "cpu", "bound": bound, "per_s": per_s, "origin": {origin: measured}}
