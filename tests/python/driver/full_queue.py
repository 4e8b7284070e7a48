"""A lap on a stream whose queue is full until another thread of Python has gone on."""

import os
import threading
import time
from collections.abc import Callable

from fake_torch import Device

import laptime as lt

device = Device()
device.start()
driver = device.driver


def others(then: Callable[[], None]) -> None:
    """What another thread does while the one with the lap waits; without it nothing goes on."""
    while driver.fake_waiting_threads() == 0:
        time.sleep(0.001)
    then()
    driver.fake_fill_queues(False)


def forked() -> None:
    """Forks, which takes all of Laptime's locks, and waits for the child."""
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)


def waits(then: Callable[[], None]) -> threading.Thread:
    """From now on the stream takes no more calls."""
    driver.fake_fill_queues(True)
    thread = threading.Thread(target=others, args=(then,))
    thread.start()
    return thread


with lt.record("full_queue.lap"):
    with lt.lap("first"):
        device.work(5)
    thread = waits(forked)
    with lt.lap("full"):
        thread.join()
        thread = waits(lambda: print("report:", lt.report()["first"].count))
    thread.join()
    device.advance(5)
print("done: True")
