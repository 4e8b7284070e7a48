"""Whether NVIDIA's driver is installed, and why a program may use no device: asks no driver.

PyTorch's `is_available()` starts the driver, after which no forked child can use CUDA. So what is
said of a program that used no device comes from files alone, and nothing is loaded for it.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_LIBRARY = "libcuda.so.1"
#: What the dynamic linker knows of its folders.
_CACHE = "/etc/ld.so.cache"
#: Folders that it searches without having noted what is in them.
_FOLDERS = ("/lib64", "/usr/lib64", "/lib", "/usr/lib")


def is_installed() -> bool:
    """Whether the dynamic linker would find the driver. **Cost** below a millisecond."""
    asked = os.environ.get("LD_LIBRARY_PATH", "").replace(";", ":").split(":")
    if any(os.path.exists(os.path.join(folder, _LIBRARY)) for folder in (*asked, *_FOLDERS)):
        return True
    try:
        with open(_CACHE, "rb") as cache:
            return _LIBRARY.encode() + b"\0" in cache.read()
    except OSError:
        return False


def why_unusable(torch: Any) -> str | None:
    """Why a program with this PyTorch can use no device of NVIDIA's; None where it can."""
    versions = getattr(torch, "version", None)
    if getattr(versions, "hip", None):
        return "devices of AMD are not timed in laps"
    if not getattr(versions, "cuda", None):
        return "this PyTorch is built without CUDA"
    return None if is_installed() else "no NVIDIA driver"


def why_unused(torch: Any) -> str:
    """Why a program used no device of NVIDIA's, so far."""
    return why_unusable(torch) or "the program used no device"
