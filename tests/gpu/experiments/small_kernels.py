"""1,000 small kernels in a lap: launch-bound is said, and behind a backlog the lap is their sum

Tiny ones (4 KiB), launched while the device is idle, leave it waiting for the host. Behind a
backlog kernels of about 40 µs follow each other: the lap takes their sum, by the profiler.
"""

from __future__ import annotations

import stage
import torch
from kernels import kernels

import laptime as lt

KERNELS = stage.sized(1_000, 50)
TINY = 1_024
SMALL = stage.sized(1 << 24, 1 << 12)
ROUNDS = 5
PART = 0.05


def launch(x: torch.Tensor) -> None:
    for _ in range(KERNELS):
        x.add_(1)


def main() -> None:
    tiny = torch.rand(TINY, device=stage.DEVICE)
    small = torch.rand(SMALL, device=stage.DEVICE)
    launch(tiny)
    launch(small)
    with stage.recorded() as recorded:
        for _ in range(ROUNDS):
            torch.cuda.synchronize()
            with lt.lap("idle device"):
                launch(tiny)
            torch.cuda.synchronize()
            stage.sleep(50)
            with lt.lap("backlog"):
                launch(small)
            torch.cuda.synchronize()
    idle, backlog = recorded.report["idle device"], recorded.report["backlog"]
    seen = kernels(lambda: launch(small))
    figures: dict[str, float] = {
        "launch_bound_count": idle.launch_bound_count or 0,
        "launch_bound_behind_backlog_count": backlog.launch_bound_count or 0,
    }
    flagged = idle.launch_bound_count == ROUNDS and backlog.launch_bound_count == 0
    target = f"all of {ROUNDS} flagged, none behind a backlog; there within {PART:.0%} of the sum"
    if backlog.device_ns is None:
        why = backlog.why("device_ns")
        stage.tell(figures, target=target, met=False, why=why)
        return
    figures["backlog_ms"] = backlog.device_ns / ROUNDS / 1e6
    if not seen:
        why = "PyTorch's profiler saw no kernel (is CUPTI allowed?)"
        stage.tell(figures, target=target, met=None if flagged else False, why=why)
        return
    figures["kernels_ms"] = sum(seconds for _, seconds in seen) * 1e3
    held = stage.within(figures["backlog_ms"], figures["kernels_ms"], PART)
    stage.tell(figures, target=target, met=flagged and held)


if __name__ == "__main__":
    main()
