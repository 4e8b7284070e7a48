"""Two builds of Laptime, measured in turns: prints the table of new over old.

`against.py OLD -- NEW` starts the two commands, which answer each line with a JSON object of
nanoseconds (`turns.py`, and `turns` of the Rust benches). Which of the two goes first changes
from round to round, and both start anew several times: where a process lies in memory and how it
hashes text is a matter of luck that stays with it. A figure is the median over rounds; the ratio is
the median of the ratios within a round, with the interval that holds the middle 95 % of its
bootstrap.
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
#: Starts that they are dealt out to.
STARTS = 20
#: Rounds after each start that warm both up and are not counted.
WARM_UP = 10


class Contender:
    """A build, waiting for its turn."""

    def __init__(self, command: list[str], series: dict[str, list[float]]) -> None:
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._series = series

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
                self._series.setdefault(name, []).append(nanoseconds)

    def finish(self) -> None:
        self._process.communicate()


def main() -> None:
    words = sys.argv[1:]
    middle = words.index("--")
    before: dict[str, list[float]] = {}
    after: dict[str, list[float]] = {}
    shuffle = random.Random(3).shuffle
    for _ in range(STARTS):
        turns = [Contender(words[:middle], before), Contender(words[middle + 1 :], after)]
        for number in range(WARM_UP + ROUNDS // STARTS):
            shuffle(turns)
            for contender in turns:
                contender.turn(counts=number >= WARM_UP)
        for contender in turns:
            contender.finish()
    print(f"| {ROUNDS} rounds, {STARTS} starts | old, ns | new, ns | new / old | 95 % interval |")
    print("| --- | --- | --- | --- | --- |")
    for name, old in before.items():
        new = after[name]
        ratio, low, high = blocks.ratio(new, old)
        figures = f"{statistics.median(old):.2f} | {statistics.median(new):.2f}"
        print(f"| {name} | {figures} | {ratio:.3f} | {low:.3f} to {high:.3f} |")


if __name__ == "__main__":
    main()
