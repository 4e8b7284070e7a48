"""Trains by number, and says which numbers were told right, not at all, or wrong."""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict

import torch

from .plan import plan
from .verdict import verdict


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="trainings", description=__doc__)
    parser.add_argument("--programs", type=int, default=500, help="how many (500)")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first number (0)")
    parser.add_argument("--only", type=int, nargs="+", help="these numbers alone, with all figures")
    options = parser.parse_args(arguments)
    torch.set_num_threads(1)
    numbers = options.only or range(options.first, options.first + options.programs)
    table: dict[str, Counter[str]] = defaultdict(Counter)
    failed = []
    for number in numbers:
        chosen = plan(number)
        found = verdict(chosen, is_alone=True)
        off = [figure for figure in found if figure.verdict != "right"]
        for figure in found:
            table[figure.name.partition(" of others")[0]][figure.verdict] += 1
        if off:
            failed.append(number)
        if off or options.only:
            print(f"{number}: {chosen}")
            print(*(f"    {figure}" for figure in (found if options.only else off)), sep="\n")
    print(f"{'':<28} {'right':>7} {'unsaid':>7} {'wrong':>7}")
    for name, verdicts in table.items():
        counts = (verdicts[one] for one in ("right", "unsaid", "wrong"))
        print(f"{name:<28} {' '.join(f'{count:>7}' for count in counts)}")
    print(f"{len(numbers) - len(failed)} of {len(numbers)} trainings: every figure right")
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
