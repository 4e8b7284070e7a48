"""The devices that CUDA shows a program, by their UUIDs. Makes no context."""

from __future__ import annotations

import ctypes
import uuid


def visible() -> list[str]:
    """As NVIDIA's tools write them, in CUDA's order."""
    cuda = ctypes.CDLL("libcuda.so.1")
    count = ctypes.c_int()
    _check(cuda.cuInit(0))
    _check(cuda.cuDeviceGetCount(ctypes.byref(count)))
    return [_uuid(cuda, index) for index in range(count.value)]


def _uuid(cuda: ctypes.CDLL, index: int) -> str:
    device, told = ctypes.c_int(), (ctypes.c_ubyte * 16)()
    _check(cuda.cuDeviceGet(ctypes.byref(device), index))
    _check(cuda.cuDeviceGetUuid_v2(told, device))
    return f"GPU-{uuid.UUID(bytes=bytes(told))}"


def _check(code: int) -> None:
    if code != 0:
        raise RuntimeError(f"the driver answered with error {code}")
