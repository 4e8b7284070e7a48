"""Which GPU there is, or why there is none; and what a page says of its machine.

python machine.py        ends with 1, and says why, where there is no GPU
"""

from __future__ import annotations

import ctypes
import datetime
import platform
import sys
from typing import Any

NO_DEVICE = 100


def absent() -> str | None:
    """Why no experiment can run here; None where they can."""
    why = driver_absent()
    if why is not None:
        return why
    try:
        import torch
    except Exception as error:
        return f"{sys.executable} can't import PyTorch: {type(error).__name__}: {error}"
    if torch.version.cuda is None:
        return f"PyTorch {torch.__version__} is built without CUDA"
    if not torch.cuda.is_available():
        return f"PyTorch {torch.__version__} (CUDA {torch.version.cuda}) finds no GPU it can use"
    return None


def driver_absent() -> str | None:
    """What is missing of the driver, by itself: needs no PyTorch."""
    try:
        cuda = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "no NVIDIA driver is installed (libcuda.so.1 was not found)"
    code = cuda.cuInit(0)
    if code == NO_DEVICE:
        return "NVIDIA's driver is installed and finds no GPU"
    if code != 0:
        return f"NVIDIA's driver does not start: error {code}"
    return None


def facts(pack: dict[str, Any]) -> dict[str, str]:
    """The machine, the driver and the versions, as text."""
    import torch

    import laptime as lt

    now = datetime.datetime.now(datetime.timezone.utc)
    return {
        "GPU": torch.cuda.get_device_name(),
        "driver": driver(),
        "PyTorch": f"{torch.__version__}, CUDA {torch.version.cuda}",
        "Python": platform.python_version(),
        "processor": processor(),
        "system": f"{platform.system()} {platform.release()}, {' '.join(platform.libc_ver())}",
        "Laptime": f"{lt.__version__}, commit {pack.get('commit', 'unknown')}",
        "date": f"{now:%Y-%m-%d %H:%M} UTC",
    }


def driver() -> str:
    from nvml import Nvml

    try:
        return Nvml().driver()
    except (OSError, RuntimeError) as error:
        return f"unknown: {error}"


def processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            names = [line.partition(":")[2].strip() for line in lines if "model name" in line]
    except OSError:
        names = []
    return f"{names[0]}, {len(names)} processors" if names else platform.machine()


if __name__ == "__main__":
    reason = driver_absent()
    if reason is not None:
        print(f"make gpu: no GPU here: {reason}", file=sys.stderr)
    sys.exit(1 if reason else 0)
