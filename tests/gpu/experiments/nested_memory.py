"""Memory of nested laps over 1, 2 and 4 GiB with frees between: exact, or the truth within bounds

The truth is known: what is allocated and freed is said here. The program's own peak must be what it
is without Laptime.
"""

from __future__ import annotations

from typing import Any

import stage
import torch

import laptime as lt

GIB = stage.sized(1 << 30, 1 << 20)
#: Lap, net, peak.
TRUTH = (("outer", 0, 5 * GIB), ("outer/inner", 0, 2 * GIB), ("outer/last", -GIB, 0))


def allocate(gib: int) -> torch.Tensor:
    return torch.empty(gib * GIB, dtype=torch.uint8, device=stage.DEVICE)


def laps(mode: str) -> tuple[lt.Report, int]:
    """The report, and the program's own peak."""
    torch.cuda.empty_cache()
    with stage.recorded(memory=True, device_memory=mode) as recorded:
        torch.cuda.reset_peak_memory_stats()
        base = torch.cuda.memory_allocated()
        with lt.lap("outer"):
            kept = allocate(1)
            with lt.lap("inner"):
                two = allocate(2)
                del two
            four = allocate(4)
            del four
            with lt.lap("last"):
                del kept
        own = torch.cuda.max_memory_allocated() - base
    return recorded.report, own


def wrong(mode: str, report: lt.Report, own: int) -> list[str]:
    """What is not as it should be."""
    found = [] if own == 5 * GIB else [f"{mode}: the program's own peak is {own}"]
    for path, net, peak in TRUTH:
        row: Any = report[path]
        nets = {row.device_memory_net_min_bytes, row.device_memory_net_max_bytes}
        least, most = row.device_memory_peak_min_bytes, row.device_memory_peak_max_bytes
        if least is None or most is None:
            found.append(f"{mode}: {path}: {row.why('device_memory_peak_max_bytes')}")
            continue
        held = nets == {net} and least <= peak <= most and (mode == "bounds" or least == most)
        if not held:
            found.append(f"{mode}: {path}: net {nets}, peak {least} to {most}")
    return found


def timer() -> list[str]:
    """The same of segments of a timer."""
    torch.cuda.empty_cache()
    timed = lt.Timer("memory", device="cuda", memory=True)
    timed.start("outer")
    four = allocate(4)
    del four
    kept = allocate(1)
    timed.start("inner")
    two = allocate(2)
    del two
    timed.stop("inner")
    timed.stop("outer")
    del kept
    report: Any = timed.summary()
    told = {
        name: (report[name].device_memory_net_max_bytes, report[name].device_memory_peak_max_bytes)
        for name in ("outer", "inner")
    }
    truth = {"outer": (GIB, 4 * GIB), "inner": (0, 2 * GIB)}
    return [f"timer: {name}: {told[name]}" for name in truth if told[name] != truth[name]]


def main() -> None:
    target = "net and peak to the byte when folded, the truth inside the bounds"
    free, _total = torch.cuda.mem_get_info()
    if free < 6 * GIB:
        why = f"6 GiB of the device's memory are needed, {free / GIB:.1f} are free"
        stage.tell({}, target=target, met=None, why=why)
        return
    figures: dict[str, Any] = {}
    found: list[str] = []
    for mode in ("fold", "bounds"):
        report, own = laps(mode)
        row: Any = report["outer/inner"]
        figures[f"{mode}_inner_peak_min_bytes"] = row.device_memory_peak_min_bytes
        figures[f"{mode}_inner_peak_max_bytes"] = row.device_memory_peak_max_bytes
        found += wrong(mode, report, own)
    found += timer()
    figures["wrong_count"] = len(found)
    stage.tell(figures, target=target, met=not found, why="; ".join(found) or None)


if __name__ == "__main__":
    main()
