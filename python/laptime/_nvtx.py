"""Laps as NVTX ranges for nsys and ncu, asked for by `nvtx=`, `--nvtx` or `LAPTIME_AUTO`."""

from __future__ import annotations

import os

from ._core import nvtx_start
from ._log import warn


def start() -> None:
    """Hands laps to the attached tool; where none is, this says so, and the recording too."""
    reason = nvtx_start()
    if reason is not None:
        warn(f"NVTX: {reason}")


def start_for_run() -> None:
    """The same for `laptime run --nvtx`: of its processes one says it, the outermost."""
    reason = nvtx_start()
    if reason is not None:
        warn(f"NVTX: {reason}")
        asked = os.environ.get("LAPTIME_AUTO", "").split(",")
        os.environ["LAPTIME_AUTO"] = ",".join(word for word in asked if word.strip() != "nvtx")
