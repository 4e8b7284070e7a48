"""The cost of a lap's time on a device in Python, on a driver that does nothing.

`device.py LIBRARY CALLS_NS`: the fake driver of the tests, built for release, and what the driver's
calls for a lap from Python take alone, as the Rust bench tells. Blocks take turns. Prints one JSON
object.
"""

from __future__ import annotations

import ctypes
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

#: Laps in a block, and blocks of each kind.
LAPS, ROUNDS = 500, 400
INSIDE = "--inside"


def measured() -> dict[str, float]:
    """Nanoseconds of a lap, without a device and with one."""
    import laptime as lt
    from laptime import _core

    driver = ctypes.CDLL("libcuda.so.1")
    driver.fake_stream.restype = ctypes.c_size_t
    driver.fake_log_nothing()
    driver.fake_use_device(0)
    stream = driver.fake_stream()
    # Builtins, as those of PyTorch's that are asked.
    zero = 0
    on = (stream.__bool__, zero.__int__, {zero: stream}.__getitem__)

    def block() -> float:
        lap = lt.lap
        start = time.perf_counter_ns()
        for _ in range(LAPS):
            with lap("x"):
                pass
        return (time.perf_counter_ns() - start) / LAPS

    plain, timed = [], []
    for _ in range(ROUNDS):
        _core.leave_devices()
        plain.append(block())
        _core.time_on_devices(*on)
        timed.append(block())
    row = lt.report()["x"]
    assert row.device_count is not None, row.why("device_ns")
    return {"lap_ns": statistics.median(plain), "timed_ns": statistics.median(timed)}


def main() -> None:
    if sys.argv[1] == INSIDE:
        print(json.dumps(measured()))
        return
    library, calls_ns = Path(sys.argv[1]).resolve(), float(sys.argv[2])
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "libcuda.so.1").symlink_to(library)
        inside = subprocess.run(
            [sys.executable, __file__, INSIDE],
            env={**os.environ, "LD_LIBRARY_PATH": folder},
            stdout=subprocess.PIPE,
            check=True,
        )
    found = json.loads(inside.stdout)
    above = found["timed_ns"] - found["lap_ns"] - calls_ns
    print(json.dumps({**found, "calls_ns": calls_ns, "above_ns": above}))


if __name__ == "__main__":
    main()
