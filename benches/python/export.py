"""Spans a second of each export, beside what VizTracer takes to save an event, as JSON.

The contenders take turns, so that a machine that slows down slows all of them.
"""

from __future__ import annotations

import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import laptime as lt

FORMATS = ["chrome", "perfetto", "speedscope", "collapsed", "parquet"]
SPANS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
EVENTS = SPANS // 10
ROUNDS = 3


def recorded(path: Path) -> Path:
    with lt.record(path) as record:
        for _ in range(SPANS // 2):
            with lt.lap("step"), lt.lap("forward"):
                pass
    return record.path


def empty() -> None:
    pass


def viztracer_ns(folder: Path) -> float:
    """CPU nanoseconds an event that was traced takes to be saved."""
    from viztracer import VizTracer

    tracer = VizTracer(verbose=0, tracer_entries=EVENTS * 2)
    tracer.start()
    for _ in range(EVENTS):
        empty()
    tracer.stop()
    begun = time.process_time_ns()
    tracer.save(str(folder / "viztracer.json"))
    return (time.process_time_ns() - begun) / EVENTS


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        recording = lt.open(recorded(folder / "bench.lap"))
        samples: dict[str, list[float]] = {name: [] for name in ["viztracer", *FORMATS]}
        for _ in range(ROUNDS):
            samples["viztracer"].append(viztracer_ns(folder))
            for name in FORMATS:
                begun = time.process_time_ns()
                recording.export(folder / "out", name)
                samples[name].append((time.process_time_ns() - begun) / SPANS)
    peer = samples["viztracer"]
    rows = [
        {
            "name": name,
            "ns": statistics.median(own),
            "per_s": 1e9 / statistics.median(own),
            "of_viztracer": statistics.median(a / b for a, b in zip(own, peer, strict=True)),
        }
        for name, own in samples.items()
    ]
    print(json.dumps({"spans": SPANS, "events": EVENTS, "rounds": ROUNDS, "exports": rows}))


if __name__ == "__main__":
    main()
