"""A training whose loader spends known parts of its time in four functions; prints what they took.

Each of them takes its time in another way: Python's own loop, a C function that lets others run,
one that doesn't, and waiting. The lengths are drawn at random, so that no sampler keeps step with
them.
"""

from __future__ import annotations

import json
import random
import sys
import time
import zlib
from collections.abc import Callable, Iterator

import laptime as lt

SECONDS = float(sys.argv[1])
#: What a batch takes on average, without the step's own work.
BATCH_SECONDS = 0.05
PACKED = zlib.compress(bytes(range(256)) * 400)
NUMBERS = [hash(str(number)) for number in range(2_000)]

clock = time.perf_counter


def decode(end: float) -> None:
    pixels = 0
    while clock() < end:
        pixels += 1


def unpack(end: float) -> None:
    while clock() < end:
        zlib.decompress(PACKED)


def order(end: float) -> None:
    while clock() < end:
        sorted(NUMBERS)


def fetch(end: float) -> None:
    time.sleep(max(0.0, end - clock()))


PLANTED: dict[Callable[[float], None], float] = {
    decode: 0.30,
    unpack: 0.15,
    order: 0.35,
    fetch: 0.20,
}
spent = dict.fromkeys(PLANTED, 0.0)


def load() -> Iterator[int]:
    draw = random.Random(7)
    ends = clock() + SECONDS
    while clock() < ends:
        for function, share in PLANTED.items():
            began = clock()
            function(began + BATCH_SECONDS * share * draw.uniform(0.5, 1.5))
            spent[function] += clock() - began
        yield 0


for _ in lt.track(load(), "step"):
    with lt.lap("forward"):
        decode(clock() + 0.005)

print(json.dumps({function.__name__: seconds for function, seconds in spent.items()}))
