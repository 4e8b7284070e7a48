"""The ways to run a program under Laptime, and which of them the fixed subset takes.

A way is the set of options given to `laptime run`. All subsets of four options are sixteen ways.
Five of them suffice for every pair of options to meet in every state (both, one, the other,
neither); the subset deals these five out to the programs of a kind, and then the others.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from .programs import Program

OPTIONS = ("memory", "modules", "ops", "no-stacks")


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
    Way(("memory", "ops", "no-stacks")),
    Way(("modules", "ops", "no-stacks")),
    Way(("memory", "modules", "no-stacks")),
)
#: The order in which the programs of a kind take them.
DEALT = (*PAIRWISE, *(way for way in ALL if way not in PAIRWISE))


def all_ways(program: Program) -> tuple[Way, ...]:
    """Every way that says something about a program."""
    return (*ALL, *(Way((option,)) for option in program.also))


def subset(programs: Iterable[Program]) -> Iterator[tuple[Program, Way]]:
    """The fixed subset: each program under one way.

    Those of a kind take turns: the first five meet every pair of options, and sixteen every way.
    """
    dealt = [program for program in programs if program.in_subset]
    for _, kind in itertools.groupby(dealt, key=lambda program: program.kind):
        yield from zip(kind, itertools.cycle(DEALT), strict=False)
