"""A program under Laptime that uses no device, and then does: tells which contexts there were."""

from __future__ import annotations

import ctypes
import json
import tempfile

import torch

import laptime as lt


def has_context() -> bool:
    cuda = ctypes.CDLL("libcuda.so.1")
    device, flags, active = ctypes.c_int(), ctypes.c_uint(), ctypes.c_int()
    for code in (
        cuda.cuInit(0),
        cuda.cuDeviceGet(ctypes.byref(device), 0),
        cuda.cuDevicePrimaryCtxGetState(device, ctypes.byref(flags), ctypes.byref(active)),
    ):
        if code != 0:
            raise RuntimeError(f"the driver answered with error {code}")
    return active.value != 0


timer = lt.Timer("before", device="cuda")
with (
    tempfile.TemporaryDirectory() as folder,
    lt.record(f"{folder}/a.lap", phases=True, memory=True),
):
    with lt.lap("before"):
        timer.start("a")
        timer.stop("a")
    str(lt.report())
reason = timer.summary()["a"].why("device_ns")
before = has_context() or torch.cuda.is_initialized()
torch.cuda.init()
torch.cuda.synchronize()
print(json.dumps({"before": before, "after": has_context(), "reason": reason}))
