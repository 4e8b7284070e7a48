"""What a span costs from Rust, of 100,000: on the host alone, and timed on the device

Beside it what the driver's own calls take that record an event pair and read it: a span makes
them too. Blocks of spans have fewer events than a stream's queue takes, since a full one waits.
"""

from __future__ import annotations

import json
import statistics
import tempfile

import stage

import laptime as lt

SPANS = stage.sized(100_000, 2_000)
HOST_US, DEVICE_US = 0.15, 2.0


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/rust.lap"
        words = [str(stage.PACK / "bin/span-cost"), path, str(SPANS)]
        told = json.loads(stage.child(words))
        row = lt.open(path).report()["device"]
    kinds = ("host_ns", "device_ns", "record_ns", "read_ns")
    host, device, record, read = (statistics.median(told[name]) / 1e3 for name in kinds)
    figures = {
        "host_us": host,
        "device_us": device,
        "driver_alone_recording_us": record,
        "driver_alone_reading_us": read,
        "device_worst_block_us": max(told["device_ns"]) / 1e3,
        "laps_timed_ratio": (row.device_count or 0) / row.count,
    }
    all_timed = row.device_count == row.count
    stage.tell(
        figures,
        target=f"host ≤ {HOST_US} µs, device ≤ {DEVICE_US:.0f} µs, each span timed",
        met=host <= HOST_US and device <= DEVICE_US and all_timed,
        why=None if all_timed else row.why("device_ns") or "some spans have no time on the device",
    )


if __name__ == "__main__":
    main()
