"""The ways to run a program under Laptime, and which of them the fixed subset takes.

A way is the set of options given to `laptime run`. All subsets of four options are sixteen ways.
Five of them suffice for every pair of options to meet in every state (both, one, the other,
neither); the subset deals these five out to the programs of a kind.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .programs import Program

OPTIONS = ("memory", "modules", "ops", "stacks")


@dataclass(frozen=True)
class Way:
    """Options of `laptime run`, in the order they are given."""

    options: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "+".join(("run", *self.options))

    def arguments(self) -> list[str]:
        return [f"--{option}" for option in self.options]


ALL = tuple(
    Way(options)
    for count in range(len(OPTIONS) + 1)
    for options in itertools.combinations(OPTIONS, count)
)
PAIRWISE = (
    Way(("memory", "modules", "ops")),
    Way(),
    Way(("memory", "ops", "stacks")),
    Way(("modules", "ops", "stacks")),
    Way(("memory", "modules", "stacks")),
)


def all_ways(program: Program) -> tuple[Way, ...]:
    """Every way that says something about a program."""
    return (*ALL, *(Way((option,)) for option in program.also))


def subset(programs: Iterable[Program]) -> Iterator[tuple[Program, Way]]:
    """The fixed subset: two of the five ways for a program that starts quickly, one for any other.

    Those of a kind take turns, so that the five ways meet every two or three, or every five.
    """
    dealt = [program for program in programs if program.in_subset]
    for _, kind in itertools.groupby(dealt, key=lambda program: program.kind):
        turn = itertools.cycle(PAIRWISE)
        programs_of_kind = list(kind)
        chosen = [
            (program, way)
            for program in programs_of_kind
            for way in itertools.islice(turn, 2 if program.is_light else 1)
        ]
        yield from chosen
        # Few programs make up for it: the last one takes what none did.
        met = {way for _, way in chosen}
        yield from ((programs_of_kind[-1], way) for way in PAIRWISE if way not in met)
