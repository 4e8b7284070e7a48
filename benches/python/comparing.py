"""What `laptime compare` takes for two recordings of a million spans each, as JSON.

Beside it what the report of one of them takes, which reads its spans once.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import laptime as lt

SPANS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
ROUNDS = 5


def recorded(path: Path) -> Path:
    step, parts = lt.lap("step"), [lt.lap(name) for name in ("data", "forward", "backward")]
    with lt.record(path) as record:
        for _ in range(SPANS // 4):
            with step:
                for part in parts:
                    with part:
                        pass
    return record.path


def seconds(*command: str) -> float:
    begun = time.perf_counter()
    laptime = [sys.executable, "-m", "laptime", *command]
    subprocess.run(laptime, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - begun


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        base, new = (str(recorded(Path(folder) / f"{name}.lap")) for name in ("base", "new"))
        compared, reported = [], []
        for _ in range(ROUNDS):
            compared.append(seconds("compare", base, new))
            reported.append(seconds("report", base))
    result = {
        "spans": SPANS,
        "rounds": ROUNDS,
        "compare_s": statistics.median(compared),
        "report_s": statistics.median(reported),
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
