"""Imports a large module again and again while memory is counted, on a busy machine.

Two threads of the program are at laps meanwhile, and the recorder's own looks for new libraries ten
times a second: none may meet the loader at its work. Ends with the number of imports that failed.

    python tests/soak/imports.py --times 500 --module torch
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

PROGRAM = """
import importlib, sys, threading, time
import laptime as lt

def work():
    while not done.wait(0.001):
        with lt.lap("meanwhile"):
            bytearray(100_000)

done = threading.Event()
threads = [threading.Thread(target=work) for _ in range(2)]
with lt.record(sys.argv[2], memory=True):
    for thread in threads:
        thread.start()
    with lt.lap("import"):
        importlib.import_module(sys.argv[1])
    done.set()
    for thread in threads:
        thread.join()
assert lt.open(sys.argv[2]).report()["import"].host_memory_peak_max_bytes > 0
"""


def fails(module: str, number: int, folder: Path) -> bool:
    """One import in a process of its own; says how it failed, if it did."""
    command = [sys.executable, "-c", PROGRAM, module, str(folder / f"{number}.lap")]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode != 0:
        last = done.stderr.strip().splitlines()[-3:]
        print(f"import {number} ended with {done.returncode}:", *last, sep="\n  ", flush=True)
    return done.returncode != 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--times", type=int, default=500)
    parser.add_argument("--module", default="torch")
    arguments = parser.parse_args()
    processors = len(os.sched_getaffinity(0))
    loop = [sys.executable, "-c", "while True: pass"]
    busy = [subprocess.Popen(loop) for _ in range(processors)]
    try:
        with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2 * processors) as pool:
            failed = sum(
                pool.map(
                    lambda number: fails(arguments.module, number, Path(folder)),
                    range(arguments.times),
                )
            )
    finally:
        for process in busy:
            process.kill()
    print(f"{failed} of {arguments.times} imports of {arguments.module} failed")
    return failed > 0


if __name__ == "__main__":
    sys.exit(main())
