"""50 matmuls of 8192³ in bfloat16: Laptime's laps, torch.cuda.Event and the profiler's kernels

All three look at the same 50, behind a backlog: the device never waits for the host. Values are
random, since zeros draw less power and run faster.
"""

from __future__ import annotations

from itertools import combinations

import stage
import torch
from kernels import kernels

import laptime as lt

SIZE = stage.sized(8192, 32)
TIMES = stage.sized(50, 5)


def main() -> None:
    a, b = (torch.randn(SIZE, SIZE, device=stage.DEVICE, dtype=torch.bfloat16) for _ in range(2))
    for _ in range(10):
        a @ b
    torch.cuda.synchronize()
    pairs = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(TIMES)]

    def work() -> None:
        stage.sleep(20)
        for start, end in pairs:
            start.record()
            with lt.lap("matmul"):
                a @ b
            end.record()

    with stage.recorded() as recorded:
        seen = kernels(work)
    row = recorded.report["matmul"]
    told: dict[str, float] = {}
    if row.device_ns is not None and row.device_count == TIMES:
        told["laptime_ms"] = row.device_ns / 1e6
    told["events_ms"] = sum(start.elapsed_time(end) for start, end in pairs)
    if seen:
        told["kernels_ms"] = sum(seconds for _, seconds in seen) * 1e3
    agree = all(stage.within(one, other, 0.01) for one, other in combinations(told.values(), 2))
    figures = {**told, "laps_timed_count": row.device_count or 0}
    target = "each pair within 1 %"
    if "laptime_ms" not in told:
        stage.tell(figures, target=target, met=False, why=row.why("device_ns") or "laps lack times")
    elif not seen:
        why = "PyTorch's profiler saw no kernel (is CUPTI allowed?)"
        stage.tell(figures, target=target, met=None if agree else False, why=why)
    else:
        stage.tell(figures, target=target, met=agree)


if __name__ == "__main__":
    main()
