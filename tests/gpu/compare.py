"""Compares Laptime's device timers with `torch.cuda.Event` and with known allocations.

    python tests/gpu/compare.py docs/evidence/gpu.md

Each experiment has a bound; the script ends with 1 when one is missed. Without a GPU it says so,
writes nothing and ends with 0. Clocks and modes of the GPU are left as they are.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

import laptime as lt
from laptime import device
from laptime.torchtimer import ProfilingTimer

if TYPE_CHECKING:
    from collections.abc import Callable

GIB = 1 << 30
PAIRS = 2_000

#: What was measured, the bound, and whether it held.
Row = tuple[str, str, str, bool]


def before_first_use() -> Row:
    timer = lt.Timer("before", device="cuda")
    timer.start("a")
    timer.stop("a")
    reason = timer.summary()["a"].why("device_ns")
    clean = not torch.cuda.is_initialized()
    said = f"context: {'none' if clean else 'created'}; device_ns: {reason}"
    return "a timer before the first use of the device", said, "no context", clean


def matmul() -> list[Row]:
    size, times = 8192, 50
    # Random, since zeros draw less power and run faster.
    a, b = (torch.randn(size, size, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    for _ in range(10):
        a @ b
    torch.cuda.synchronize()
    timer = lt.Timer("matmul", device="cuda")
    pairs = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(times)]
    host = time.perf_counter()
    for start, end in pairs:
        start.record()
        timer.start("ours")
        a @ b
        timer.stop("ours")
        end.record()
    launched = time.perf_counter() - host
    torch.cuda.synchronize()
    ours = timer.history("ours")
    theirs = [start.elapsed_time(end) / 1e3 for start, end in pairs]
    worst = max(abs(own - other) / other for own, other in zip(ours, theirs, strict=True))
    under = sum(theirs) / launched
    return [
        (
            f"{size}³ bfloat16 matmul, {times} times, each beside its torch.cuda.Event pair",
            f"median {sorted(ours)[times // 2] * 1e3:.3f} ms, worst difference {worst:.2%}",
            "1 %",
            worst <= 0.01,
        ),
        (
            "the same by the host's clock without a synchronise",
            f"{under:.0f} times too little",
            "20 times",
            under >= 20,
        ),
    ]


def behind_a_backlog() -> Row:
    timer = lt.Timer("backlog", device="cuda")
    timer.start("warm")
    timer.stop("warm")
    timer.history("warm")
    torch.cuda.synchronize()
    torch.cuda._sleep(400_000_000)
    begun = time.perf_counter()
    elapsed: list[Any] = []
    for _ in range(1_000):
        timer.start("a")
        elapsed.append(timer.stop("a"))
    took = time.perf_counter() - begun
    early = sum(one.is_ready for one in elapsed)
    torch.cuda.synchronize()
    late = sum(one.is_ready for one in elapsed)
    said = f"host {took * 1e3:.1f} ms; {early} known before, {late} after the device was done"
    held = early == 0 and late == 1_000 and took < 0.050
    return "1,000 segments behind a device that sleeps", said, "50 ms; 0; 1,000", held


def allocations() -> list[Row]:
    torch.cuda.empty_cache()
    timer = lt.Timer("memory", device="cuda", memory=True)
    torch.cuda.reset_peak_memory_stats()
    base = torch.cuda.memory_allocated()
    timer.start("outer")
    four = torch.empty(4 * GIB, dtype=torch.uint8, device="cuda")
    del four
    kept = torch.empty(1 * GIB, dtype=torch.uint8, device="cuda")
    timer.start("inner")
    two = torch.empty(2 * GIB, dtype=torch.uint8, device="cuda")
    del two
    timer.stop("inner")
    timer.stop("outer")
    report = timer.summary()
    found: list[tuple[str, Any, int]] = [
        ("net of the outer", report["outer"].device_memory_net_max_bytes, 1 * GIB),
        ("peak of the outer", report["outer"].device_memory_peak_max_bytes, 4 * GIB),
        ("net of the inner", report["inner"].device_memory_net_max_bytes, 0),
        ("peak of the inner", report["inner"].device_memory_peak_max_bytes, 2 * GIB),
        ("the program's own peak", torch.cuda.max_memory_allocated() - base, 4 * GIB),
    ]
    assert kept.numel() == GIB
    return [
        (
            f"allocations of 4, 1 and 2 GiB: {what}",
            f"{own:,} bytes",
            f"{truth:,}",
            own == truth,
        )
        for what, own, truth in found
    ]


def laps() -> list[Row]:
    """What `lt.record` tells of laps, exactly and within bounds, and what the program reads."""
    rows: list[Row] = []
    for mode in ("fold", "bounds", "history"):
        torch.cuda.empty_cache()
        torch.cuda.reset_peak_memory_stats()
        base = torch.cuda.memory_allocated()
        with (
            tempfile.TemporaryDirectory() as folder,
            lt.record(f"{folder}/a.lap", memory=True, device_memory=mode) as record,
        ):
            with lt.lap("outer"):
                kept = torch.empty(1 * GIB, dtype=torch.uint8, device="cuda")
                with lt.lap("inner"):
                    two = torch.empty(2 * GIB, dtype=torch.uint8, device="cuda")
                    del two
                four = torch.empty(4 * GIB, dtype=torch.uint8, device="cuda")
                del four
                with lt.lap("last"):
                    del kept
            own = torch.cuda.max_memory_allocated() - base
            record.stop()
            report = lt.open(str(record.path)).report()
        rows.append((f"{mode}: the program's own peak", f"{own:,}", f"{5 * GIB:,}", own == 5 * GIB))
        for path, net, peak in (
            ("outer", 0, 5 * GIB),
            ("outer/inner", 0, 2 * GIB),
            ("outer/last", -GIB, 0),
        ):
            row = report[path]
            nets = {row.device_memory_net_min_bytes, row.device_memory_net_max_bytes}
            least, most = row.device_memory_peak_min_bytes, row.device_memory_peak_max_bytes
            assert least is not None
            assert most is not None
            held = nets == {net} and least <= peak <= most and (mode == "bounds" or least == most)
            said = f"net {nets}, peak {least:,} to {most:,} bytes"
            rows.append((f"{mode}: {path}", said, f"{net:,}, {peak:,}", held))
    return rows


def per_pair(run: Callable[[], object]) -> float:
    """Microseconds a pair on the host: the best of five blocks, the device waited for between."""
    best = float("inf")
    for _ in range(5):
        torch.cuda.synchronize()
        begun = time.perf_counter()
        for _ in range(PAIRS):
            run()
        best = min(best, (time.perf_counter() - begun) / PAIRS * 1e6)
    return best


def costs() -> list[Row]:
    def pair(timer: Any) -> Callable[[], object]:
        def run() -> None:
            timer.start("x")
            timer.stop("x")

        return run

    def events() -> None:
        start, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        end.record()

    def synchronised() -> None:
        torch.cuda.synchronize()
        time.perf_counter()
        torch.cuda.synchronize()
        time.perf_counter()

    shown = [
        ("host only: lt.Timer", pair(lt.Timer("host"))),
        ("lt.Timer(device=…)", pair(lt.Timer("device", device="cuda"))),
        ("lt.Timer(device=…, memory=True)", pair(lt.Timer("both", device="cuda", memory=True))),
        ("ProfilingTimer(memory=False)", pair(ProfilingTimer(memory=False))),
        ("ProfilingTimer()", pair(ProfilingTimer())),
        ("a torch.cuda.Event pair", events),
        ("a synchronised perf_counter pair", synchronised),
    ]
    return [(f"cost of a pair: {what}", f"{per_pair(run):.2f} µs", "", True) for what, run in shown]


def page(rows: list[Row]) -> str:
    lines = [
        "# On a GPU",
        "",
        f"{torch.cuda.get_device_name()}, driver through torch {torch.__version__} "
        f"(CUDA {torch.version.cuda}). Written by `make gpu`.",
        "",
        "| what | measured | bound | held |",
        "| --- | --- | --- | --- |",
    ]
    lines += [f"| {a} | {b} | {c} | {'yes' if held else 'NO'} |" for a, b, c, held in rows]
    return "\n".join(lines) + "\n"


def main(path: Path) -> int:
    if not torch.cuda.is_available():
        _gauge, reason = device.gauge("cuda")
        print(f"make gpu: nothing was run: {reason}")
        return 0
    rows = [before_first_use(), *matmul(), behind_a_backlog(), *allocations(), *laps(), *costs()]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page(rows))
    print(page(rows))
    return 0 if all(row[3] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1])))
