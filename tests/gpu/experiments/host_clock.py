"""The same matmuls by the host's clock, without a synchronise: how much too little it shows"""

from __future__ import annotations

import time

import stage
import torch

import laptime as lt

SIZE = stage.sized(8192, 32)
TIMES = stage.sized(50, 5)


def main() -> None:
    a, b = (torch.randn(SIZE, SIZE, device=stage.DEVICE, dtype=torch.bfloat16) for _ in range(2))
    for _ in range(10):
        a @ b
    with stage.recorded() as recorded:
        torch.cuda.synchronize()
        begun = time.perf_counter()
        for _ in range(TIMES):
            with lt.lap("matmul"):
                a @ b
        launched_s = time.perf_counter() - begun
        torch.cuda.synchronize()
    row = recorded.report["matmul"]
    if row.device_ns is None:
        why = row.why("device_ns")
        stage.tell({}, target="at least 20 times too little", met=False, why=why)
        return
    under = row.device_ns / row.total_ns
    figures = {
        "too_little_times": under,
        "device_ms": row.device_ns / 1e6,
        "laps_on_the_host_ms": row.total_ns / 1e6,
        "perf_counter_ms": launched_s * 1e3,
    }
    stage.tell(figures, target="at least 20 times too little", met=under >= 20)


if __name__ == "__main__":
    main()
