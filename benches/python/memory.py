"""What counting memory costs: a training step, and a program that does little but allocate.

The same work runs with and without, in turns, in one process; tracemalloc stands beside it.

Switching rewrites the tables of all libraries. It is not timed, and neither are the first steps
after it, which find cold caches: the first takes three times as long, and 20 later it is over.
Then several blocks are timed, and their median stands for the turn. A ratio is the median over the
pairs of turns. The control switches on and off again before every turn.

Prints one JSON object.
"""

from __future__ import annotations

import json
import tempfile
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import blocks
import torch
from overhead import STEPS, block, compare, perceptron, step_of

import laptime as lt
from laptime import _core
from laptime.integrations import _autotorch

ROUNDS = 60
Prepare: TypeAlias = Callable[[bool], None]
#: Of training steps: pairs of turns, blocks after a switch that are not timed, and those that are.
TURNS, SETTLING, TIMES = 150, 2, 5


def allocating() -> None:
    """Text, numbers, lists, dictionaries and buffers of many sizes, most of them short-lived."""
    kept = []
    for number in range(2_000):
        row = {"name": f"row {number}", "values": [float(n) for n in range(20)]}
        text = json.dumps(row)
        kept.append(json.loads(text))
        kept.append(bytearray(600 + number * 7 % 20_000))
        if number % 10 == 0:
            kept.append(b"x" * (64 * number))
        if len(kept) > 500:
            del kept[:250]


def laps(work: Callable[[], None]) -> Callable[[], None]:
    def run() -> None:
        with lt.lap("work"):
            work()

    return run


def whole(prepare: Prepare, rounds: int = ROUNDS) -> dict[str, object]:
    """The program that allocates; a block is one run of it."""
    result = compare(laps(allocating), laps(allocating), prepare, rounds)
    return {**result, "step_us": round(float(str(result["step_us"])) * STEPS, 1)}


def training(plain: blocks.Block, loaded: blocks.Block, prepare: Prepare) -> dict[str, object]:
    return compare(plain, loaded, prepare, TURNS, settling=SETTLING, times=TIMES)


def nothing(_on: bool) -> None:
    """Switched, and then off in both turns."""
    count(True)
    count(False)


def count(on: bool) -> None:
    if on:
        reason = _core.memory_start()[1]
        assert reason is None, reason
    else:
        _core.memory_stop()


def count_objects(on: bool) -> None:
    if on:
        reason = _core.memory_start(objects=True)[1]
        assert reason is None, reason
    else:
        _core.memory_stop()


def count_with_phases(on: bool) -> None:
    count(on)
    if on:
        _autotorch.install(modules=False)
    else:
        _autotorch.uninstall()


def trace(on: bool) -> None:
    if on:
        tracemalloc.start()
    else:
        tracemalloc.stop()


def main() -> None:
    torch.set_num_threads(1)
    small = step_of(perceptron(), 784, 10)
    lapped = block(small, True)
    with tempfile.TemporaryDirectory() as folder, lt.record(Path(folder) / "bench.lap"):
        results = {
            "nothing (control), 4 laps a step": training(lapped, lapped, nothing),
            "memory, 4 laps a step, MLP 784-128-10": training(lapped, lapped, count),
            "memory and automatic phases, MLP 784-128-10": training(
                block(small), block(small), count_with_phases
            ),
            "nothing (control), a program that allocates": whole(nothing),
            "memory, a program that allocates": whole(count),
            "memory with objects, the same program": whole(count_objects),
            "tracemalloc, the same program": whole(trace, ROUNDS // 10),
        }
    facts = {"turns": TURNS, "settling": SETTLING * STEPS, "steps": TIMES * STEPS}
    print(json.dumps(facts | {"overhead": results}))


if __name__ == "__main__":
    main()
