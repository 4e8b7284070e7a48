"""Wall time beside CPU time of a program that sleeps, one that spins and one that waits.

python examples/clocks.py
"""

from __future__ import annotations

import subprocess
import sys
import threading
import time

import laptime as lt


def spin(seconds: float) -> None:
    """Keeps a CPU busy."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def wait_for_a_thread() -> None:
    thread = threading.Thread(target=spin, args=(0.3,))
    thread.start()
    thread.join()


def wait_for_a_process() -> None:
    program = "import time; end = time.time() + 0.4\nwhile time.time() < end: pass"
    subprocess.run([sys.executable, "-c", program], check=True)


def main() -> None:
    timer = lt.Timer("clocks", cpu=True)
    programs = {
        "sleeping": lambda: time.sleep(0.1),
        "spinning": lambda: spin(0.2),
        "waiting for a thread": wait_for_a_thread,
        "waiting for a process": wait_for_a_process,
    }
    for name, program in programs.items():
        timer.start(name)
        program()
        timer.stop(name)
    print(timer.summary())


if __name__ == "__main__":
    main()
