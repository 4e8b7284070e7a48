"""Ten seconds of matmul: a lap's energy beside the integral of the power, on the right device

The last device that is visible is used, named by its UUID in CUDA_VISIBLE_DEVICES, and the report
must tell of it. The power that a device tells may be a mean of the last second, so the lap begins
after two seconds of the same.
"""

from __future__ import annotations

import json

import stage
from nvml import Nvml
from visible import visible


def main() -> None:
    target = "within 5 % of the integrated power, and the device that was named"
    try:
        nvml, uuids = Nvml(), visible()
        uuid = uuids[-1]
        nvml.power_w(nvml.device(uuid))
    except (OSError, RuntimeError) as error:
        stage.tell({}, target=target, met=None, why=f"no power can be read: {error}")
        return
    words = stage.command(stage.PACK / "programs/works.py")
    told = json.loads(stage.child(words, CUDA_VISIBLE_DEVICES=uuid).splitlines()[-1])
    is_right = told["told"] == [told["wanted"]]
    figures = {name: told[name] for name in ("laptime_j", "power_j", "work_s") if told[name]}
    figures |= {"visible_devices_count": len(uuids), "device_is_right": is_right}
    if told["laptime_j"] is None or told["power_j"] is None:
        why = told["why"] or "too few readings of the power"
        stage.tell(figures, target=target, met=None if is_right else False, why=why)
        return
    figures["difference_ratio"] = told["laptime_j"] / told["power_j"] - 1
    held = stage.within(told["laptime_j"], told["power_j"], 0.05)
    why = None if is_right else f"told of {told['told']}, not {told['wanted']}"
    stage.tell(figures, target=target, met=held and is_right, why=why)


if __name__ == "__main__":
    main()
