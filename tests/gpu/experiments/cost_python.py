"""What a lap costs from Python, of 100,000, beside an event pair and a synchronised pair

The contenders take turns in blocks; before each block the device is waited for, and none has more
events than a stream's queue takes, since a full one waits. Medians of blocks.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable

import stage
import torch

import laptime as lt
from laptime.torchtimer import ProfilingTimer

BLOCKS = stage.sized(334, 20)
EACH = stage.sized(300, 20)
HOST_US, DEVICE_US = 0.15, 3.0


def lap(name: str) -> Callable[[], None]:
    def block() -> None:
        for _ in range(EACH):
            with lt.lap(name):
                pass

    return block


def events() -> None:
    for _ in range(EACH):
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        end.record()


def synchronised() -> None:
    for _ in range(EACH):
        torch.cuda.synchronize()
        time.perf_counter()
        torch.cuda.synchronize()
        time.perf_counter()


def segments(timer: lt.Timer | ProfilingTimer) -> Callable[[], None]:
    def block() -> None:
        for _ in range(EACH):
            timer.start("x")
            timer.stop("x")

    return block


def medians(
    contenders: dict[str, Callable[[], None]], wait: Callable[[], None] = torch.cuda.synchronize
) -> dict[str, float]:
    """Microseconds a pair."""
    told: dict[str, list[float]] = {name: [] for name in contenders}
    for number in range(BLOCKS + 1):
        for name, block in contenders.items():
            wait()
            begun = time.perf_counter()
            block()
            if number > 0:
                told[name].append((time.perf_counter() - begun) / EACH * 1e6)
    return {name: statistics.median(blocks) for name, blocks in told.items()}


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, lt.record(f"{folder}/host.lap"):
        # Nothing is timed on the device before the program uses it.
        figures = medians({"host_us": lap("host")}, wait=lambda: None)
    timers = {
        "timer_us": segments(lt.Timer("device", device="cuda")),
        "timer_with_memory_us": segments(lt.Timer("both", device="cuda", memory=True)),
        "profiling_timer_us": segments(ProfilingTimer()),
    }
    with stage.recorded() as recorded:
        contenders = {
            "device_us": lap("device"),
            "event_pair_us": events,
            "synchronised_pair_us": synchronised,
        }
        figures |= medians({**contenders, **timers})
    row = recorded.report["device"]
    figures["laps_timed_ratio"] = (row.device_count or 0) / row.count
    device, all_timed = figures["device_us"], row.device_count == row.count
    below = device < figures["event_pair_us"]
    stage.tell(
        figures,
        target=f"host ≤ {HOST_US} µs, device ≤ {DEVICE_US:.0f} µs and below an event pair",
        met=figures["host_us"] <= HOST_US and device <= DEVICE_US and below and all_timed,
        why=None if all_timed else row.why("device_ns") or "some laps have no time on the device",
    )


if __name__ == "__main__":
    main()
