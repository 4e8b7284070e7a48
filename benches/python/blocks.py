"""Contenders take turns in short blocks, so that a machine that slows down slows all of them.

A figure is the median over rounds; a ratio is the median of the ratios within a round, with
the interval that holds the middle 95 % of its bootstrap.
"""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable

Block = Callable[[], None]


def rounds(contenders: dict[str, Block], count: int) -> dict[str, list[float]]:
    """Seconds of every block, per contender; the order changes from round to round."""
    names = list(contenders)
    taken: dict[str, list[float]] = {name: [] for name in names}
    shuffle = random.Random(1).shuffle
    for block in contenders.values():
        block()
    for _ in range(count):
        shuffle(names)
        for name in names:
            block = contenders[name]
            start = time.perf_counter()
            block()
            taken[name].append(time.perf_counter() - start)
    return taken


def ratio(own: list[float], other: list[float]) -> tuple[float, float, float]:
    """Median of the ratios within a round, and the bounds of its bootstrap interval."""
    ratios = [mine / theirs for mine, theirs in zip(own, other, strict=True)]
    draw = random.Random(2).choices
    medians = sorted(statistics.median(draw(ratios, k=len(ratios))) for _ in range(400))
    return statistics.median(ratios), medians[10], medians[389]
