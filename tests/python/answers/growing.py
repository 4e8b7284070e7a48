"""Programs whose memory grows all the time, and others whose memory doesn't: `growing.py KIND`."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable

KIND = sys.argv[1]
SECONDS = 4.0
KEPT: list[object] = []


def body(size: int = 100_000) -> bytearray:
    """A piece of memory, each page of which is written to; nothing else is allocated for it."""
    piece = bytearray(size)
    for page in range(0, size, 4096):
        piece[page] = 1
    return piece


def rounds(each: Callable[[int], object], pause: float = 0.01, seconds: float = SECONDS) -> None:
    """Calls a function again and again for a while."""
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        each(number)
        number += 1
        time.sleep(pause)


def appends() -> None:
    """Keeps each answer in a list."""
    rounds(lambda _: KEPT.append(body()))


def caches() -> None:
    """Keeps each answer in a dictionary of a function, which is freed as that returns."""
    seen: dict[int, bytearray] = {}
    rounds(lambda number: seen.setdefault(number, body()))


def small() -> None:
    """Keeps many small objects, which take a while to free."""
    rows: list[dict[str, object]] = []

    def add(number: int) -> None:
        rows.extend({"id": number, "tags": [f"{number}-{tag}" for tag in range(40)]} for _ in "ab")

    rounds(add, pause=0.0005)


def thread() -> None:
    """Appends in a thread."""
    other = threading.Thread(target=appends)
    other.start()
    other.join()


def bursts() -> None:
    """Appends much every half second."""
    rounds(lambda _: KEPT.append(body(8_000_000)), pause=0.5, seconds=6)


def after_loading() -> None:
    """Loads data for two seconds, in pieces, then appends."""
    data: list[bytearray] = []
    rounds(lambda _: data.append(body(20_000_000)), pause=0.7, seconds=2)
    appends()


def os_exit() -> None:
    """Ends without closing anything."""
    caches()
    os._exit(0)


def sys_exit() -> None:
    """Ends with an exception."""
    appends()
    sys.exit(0)


def idle_end() -> None:
    """Does nothing for a while at the end."""
    appends()
    time.sleep(0.5)


def clean_full() -> None:
    """Has a cache that is full after a second."""
    seen: dict[int, bytearray] = {}
    rounds(lambda number: seen.__setitem__(number % 100, body(1_000_000)))


def clean_loads() -> None:
    """Loads 300 MB at once, then works."""
    KEPT.append(body(300_000_000))
    rounds(lambda _: sum(range(20_000)))


def clean_saw() -> None:
    """Fills a buffer, and empties it, again and again."""

    def fill(number: int) -> None:
        if number % 90 == 0:
            KEPT.clear()
        KEPT.append(body(500_000))

    rounds(fill)


def clean_late() -> None:
    """Evaluates late in the run."""
    rounds(lambda _: body(), seconds=3)
    data: list[bytearray] = []
    rounds(lambda _: data.append(body(2_000_000)), seconds=1)


globals()[KIND]()
