"""Runs programs by number, and says which of them a count changed."""

from __future__ import annotations

import argparse
import collections
import sys
import time

from .difference import kind_of
from .forked import in_child, ready, serve
from .parts import DIMENSIONS
from .proof import Verdict
from .recipe import Recipe, described, plain, recipe, with_part
from .source import Source
from .struck import Strikes


def reduced(number: int) -> tuple[Recipe, Verdict]:
    """A program that fails, with as many parts plain as still fail."""
    chosen = recipe(number)
    verdict = in_child(number, chosen)
    assert not verdict.holds, f"program {number} does not fail"
    for dimension, part in plain().items():
        simpler = {**chosen, dimension: part}
        again = in_child(number, simpler) if simpler != chosen else Verdict("broken")
        if again.outcome == verdict.outcome:
            chosen, verdict = simpler, again
    return chosen, verdict


def each() -> int:
    """Every part alone, with what it needs, in a program that is plain otherwise."""
    failed = 0
    for dimension, parts in DIMENSIONS.items():
        for part in parts:
            chosen = with_part(dimension, part)
            verdict = in_child(1, chosen)
            failed += not verdict.holds
            if verdict.outcome != "untouched":
                print(f"{described(chosen)}\n    {verdict.outcome}: {verdict.why}", flush=True)
    return int(failed > 0)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="untouched", description=__doc__)
    parser.add_argument("--programs", type=int, default=500, help="how many (500)")
    parser.add_argument("--from", type=int, default=0, dest="first", help="the first number (0)")
    parser.add_argument("--only", type=int, nargs="+", help="these numbers alone")
    parser.add_argument("--show", type=int, help="print a program's source and end")
    parser.add_argument("--reduce", type=int, nargs="+", help="the parts that a failure takes")
    parser.add_argument("--each", action="store_true", help="every part alone in a plain program")
    parser.add_argument("--no-count", action="store_true", help="both lives without a count")
    parser.add_argument("--struck", action="store_true", help="counts ended at any instant")
    parser.add_argument("--serve", action="store_true", help="numbers on stdin, verdicts out")
    options = parser.parse_args(arguments)
    if options.serve:
        serve()
        return 0
    if options.show is not None:
        chosen = recipe(options.show)
        print(f"# {described(chosen)}", Source(options.show, chosen).text, sep="\n")
        return 0
    ready()
    for number in options.reduce or ():
        chosen, verdict = reduced(number)
        print(f"{number}: {described(chosen)}\n    {verdict.outcome}: {verdict.why}", flush=True)
    if options.reduce:
        return 1
    if options.each:
        return each()
    numbers = options.only or range(options.first, options.first + options.programs)
    outcomes: collections.Counter[str] = collections.Counter()
    kinds: dict[str, list[int]] = collections.defaultdict(list)
    begun = time.perf_counter()
    for number in numbers:
        chosen = recipe(number)
        count = _nothing if options.no_count else Strikes(number) if options.struck else None
        verdict = in_child(number, chosen, count)
        outcomes[verdict.outcome] += 1
        if verdict.outcome != "untouched":
            changed = verdict.outcome in ("changed", "later")
            why = kind_of(verdict.why) if changed else verdict.why.split("\n")[0][:100]
            kinds[f"{verdict.outcome}: {why}"].append(number)
        if not verdict.holds:
            print(
                f"{number}: {described(chosen)}\n    {verdict.outcome}: {verdict.why}", flush=True
            )
    for kind, found in sorted(kinds.items(), key=lambda it: -len(it[1])):
        print(f"{len(found):5}  {kind}  {' '.join(map(str, found[:6]))}")
    mean = (time.perf_counter() - begun) / max(1, len(numbers))
    print(f"{len(numbers)} programs, {mean:.3f} s each: {dict(outcomes)}")
    return 0 if outcomes["untouched"] + outcomes["refused"] == len(numbers) else 1


def _nothing(*arguments: object, **keywords: object) -> None:
    """Stands in for a count."""


if __name__ == "__main__":
    sys.exit(main())
