"""Seconds of matmul in a lap, on the one device that is visible: its energy, told in two ways."""

from __future__ import annotations

import json
import os
import time

import stage
import torch
from nvml import Nvml, Power

import laptime as lt

WARM_S, WORK_S = stage.sized(2.0, 0.2), stage.sized(10.0, 1.5)
SIZE = stage.sized(8192, 32)


def main() -> None:
    nvml = Nvml()
    wanted = os.environ["CUDA_VISIBLE_DEVICES"]
    device = nvml.device(wanted)
    a, b = (torch.randn(SIZE, SIZE, device=stage.DEVICE, dtype=torch.bfloat16) for _ in range(2))

    def matmuls(seconds: float) -> None:
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            for _ in range(20):
                a @ b
            torch.cuda.synchronize()

    power = Power(nvml, device)
    with stage.recorded() as recorded:
        matmuls(WARM_S)
        begin = time.perf_counter()
        with lt.lap("work"):
            matmuls(WORK_S)
        end = time.perf_counter()
        # The counter's next update tells how the lap ended.
        matmuls(0.5)
    power.stop()
    row = recorded.report["work"]
    devices = json.loads(recorded.report.to_json()).get("devices", [])
    told = {
        "laptime_j": row.device_energy_j,
        "why": row.why("device_energy_j") if row.device_energy_j is None else None,
        "power_j": power.energy_j(begin, end),
        "told": [one["uuid"] for one in devices],
        "wanted": wanted,
        "work_s": end - begin,
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
