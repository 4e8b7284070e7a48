"""Laps behind a callback of Python's. Ends with an error if it hangs."""

from __future__ import annotations

import ctypes
import faulthandler
import json

import stage
import torch

import laptime as lt

LAPS = 1_500
LIMIT_S = 20


def main() -> None:
    launch = getattr(ctypes.CDLL("libcuda.so.1"), "cuLaunchHostFunc", None)
    if launch is None:
        print(json.dumps({"why": "this driver has no callbacks"}))
        return
    faulthandler.dump_traceback_later(LIMIT_S, exit=True)
    ran = []
    callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(ran.append)
    with stage.recorded() as recorded:
        with lt.lap("before"):
            torch.zeros(1, device=stage.DEVICE)
        torch.cuda.synchronize()
        stage.sleep(300)
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        launch(stream, callback, None)
        for _ in range(LAPS):
            with lt.lap("behind"):
                pass
        torch.cuda.synchronize()
    row = recorded.report["behind"]
    told = {
        "callbacks_count": len(ran),
        "laps_count": row.count,
        "laps_timed_count": row.device_count or 0,
    }
    print(json.dumps({**told, "why": None}))


if __name__ == "__main__":
    main()
