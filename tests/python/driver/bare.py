"""Laps on a fake device in a program without a framework; the argument names what it does."""

from __future__ import annotations

import ctypes
import signal
import sys

import laptime as lt
from laptime import _core

GLOBAL = 0
KERNEL_NS = 1_000

driver = ctypes.CDLL("libcuda.so.1")
driver.fake_stream.restype = ctypes.c_size_t
driver.fake_work.argtypes = [ctypes.c_size_t, ctypes.c_uint64]
driver.fake_advance.argtypes = [ctypes.c_uint64]
driver.fake_begin_capture.argtypes = [ctypes.c_size_t, ctypes.c_int]
driver.fake_log_nothing()
driver.fake_use_device(0)
STREAM = driver.fake_stream()


def on_stream(_device: int) -> int:
    """As a framework's own function, in Python, which signals interrupt."""
    for _ in range(30):
        pass
    return STREAM


def laps(count: int) -> None:
    for _ in range(count):
        with lt.lap("x"):
            driver.fake_work(STREAM, KERNEL_NS)


def told() -> None:
    driver.fake_advance(10**9)
    row = lt.report()["x"]
    print("laps:", row.count, row.device_count, row.device_ns)


def reset() -> None:
    laps(9)
    lt.reset()
    laps(3)
    told()


def captured() -> None:
    """More laps in a row than reasons are kept for."""
    laps(1)
    driver.fake_begin_capture(STREAM, GLOBAL)
    laps(70_000)
    driver.fake_end_capture(STREAM)
    told()
    print("warnings:", " ".join(lt.report().warnings).replace("\n", " "))


def leaks() -> None:
    """Blocks of Python's memory that are still in use after many laps."""
    laps(10)
    before = sys.getallocatedblocks()
    for _ in range(200):
        laps(100)
        driver.fake_advance(10**6)
    print("blocks:", sys.getallocatedblocks() - before)


def interrupted() -> None:
    """Errors of a signal's handler come while Laptime asks for the stream, one after the other."""

    class Over(Exception):
        pass

    raised = caught = 0
    armed = False

    def handler(*_: object) -> None:
        nonlocal armed, raised
        if armed:
            armed = False
            raised += 1
            raise Over

    def until_raised() -> None:
        nonlocal armed
        before = raised
        armed = True
        while raised == before:
            laps(1)
            driver.fake_advance(KERNEL_NS)
        # It raised, and nothing came of it so far: that has to come before anything else does.
        laps(10)

    signal.signal(signal.SIGALRM, handler)
    signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
    for _ in range(200):
        try:
            until_raised()
        except Over:
            caught += 1
    signal.setitimer(signal.ITIMER_REAL, 0)
    print("raised:", raised)
    print("caught:", caught)


_core.time_on_devices(lambda: True, (0).__int__, on_stream)
globals()[sys.argv[1]]()
