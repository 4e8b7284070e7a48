"""Two builds of Laptime, measured in turns: prints the table of new over old.

`against.py OLD -- NEW` starts the two commands, which answer each line with a JSON object of
nanoseconds (`turns.py`, and `turns` of the Rust benches). Which of the two goes first changes
from round to round. A figure is the median over rounds; the ratio is the median of the ratios
within a round, with the interval that holds the middle 95 % of its bootstrap.
"""

from __future__ import annotations

import json
import random
import statistics
import subprocess
import sys
from typing import IO

import blocks

ROUNDS = 400
#: Rounds that warm both up and are not counted.
WARM_UP = 20


class Contender:
    """A build, waiting for its turn."""

    def __init__(self, command: list[str]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self.series: dict[str, list[float]] = {}

    def turn(self, *, counts: bool) -> None:
        """Runs one block of everything."""
        to: IO[str] | None = self._process.stdin
        answer: IO[str] | None = self._process.stdout
        assert to is not None
        assert answer is not None
        print(file=to, flush=True)
        line = answer.readline()
        if not line:
            raise SystemExit(f"{self._process.args!r} ended with {self._process.wait()}")
        for name, nanoseconds in json.loads(line).items():
            if counts:
                self.series.setdefault(name, []).append(nanoseconds)

    def finish(self) -> None:
        self._process.communicate()


def main() -> None:
    words = sys.argv[1:]
    middle = words.index("--")
    old, new = Contender(words[:middle]), Contender(words[middle + 1 :])
    turns = [old, new]
    shuffle = random.Random(3).shuffle
    for number in range(WARM_UP + ROUNDS):
        shuffle(turns)
        for contender in turns:
            contender.turn(counts=number >= WARM_UP)
    old.finish()
    new.finish()
    print(f"| {ROUNDS} rounds | old, ns | new, ns | new / old | 95 % interval |")
    print("| --- | --- | --- | --- | --- |")
    for name, before in old.series.items():
        after = new.series[name]
        ratio, low, high = blocks.ratio(after, before)
        figures = f"{statistics.median(before):.2f} | {statistics.median(after):.2f}"
        print(f"| {name} | {figures} | {ratio:.3f} | {low:.3f} to {high:.3f} |")


if __name__ == "__main__":
    main()
