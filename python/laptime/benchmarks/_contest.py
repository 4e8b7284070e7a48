"""`lt.compare({"eager": f, "compiled": g})`: functions in turns, until the faster one is clear."""

from __future__ import annotations

from .._core import ContestPlan, judge_samples, visible_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from os import PathLike
    from typing import Any

    from .._core import BenchmarkOutcome, ContestOutcome, SpeedVerdict

#: Seconds for each contender, unless asked otherwise.
EACH = 3.0
#: Smallest difference that counts, as a part of the base.
THRESHOLD = 0.01


class FunctionComparison:
    """Functions that took turns, with a verdict for each pair. Times are nanoseconds."""

    def __init__(self, names: list[str], outcome: ContestOutcome, doubts: list[str]) -> None:
        self._outcome = outcome
        #: What was compared; the first is the base.
        self.names = names
        #: Each contender's own figures, by its name.
        self.contenders: dict[str, BenchmarkOutcome] = dict(
            zip(names, outcome.contenders, strict=True)
        )
        #: The verdict of each pair, by the names of base and new.
        self.verdicts: dict[tuple[str, str], SpeedVerdict] = {
            (names[base], names[new]): verdict for base, new, verdict in outcome.pairs
        }
        #: The answer in words, a line for each contender but the base.
        self.headline = outcome.headline
        #: By how much the base differed from itself; None where the budget ended before.
        self.noise_ratio = outcome.noise_ratio
        #: Rounds, in each of which every contender had two samples.
        self.rounds = outcome.rounds
        #: Why it ended: "clear", "budget" or "rounds".
        self.ending = outcome.ending
        #: Results that stand for work which hasn't been done.
        self.warnings = doubts

    @property
    def verdict(self) -> str:
        """Of the second contender against the first."""
        return self[self.names[1]].verdict

    def __getitem__(self, names: str | tuple[str, str]) -> SpeedVerdict:
        """The verdict of a contender against the base, or of the second of two on the first."""
        pair = names if isinstance(names, tuple) else (self.names[0], names)
        if pair not in self.verdicts:
            known = ", ".join(map(repr, self.verdicts))
            raise KeyError(f"no such pair: {pair!r}; there is {known}")
        return self.verdicts[pair]

    def save(self, path: str | PathLike[str]) -> None:
        """Writes each contender as a benchmark of its name, for `laptime compare` and `lt.compare`
        of files.
        """
        from ._saved import write

        write(path, self._benchmarks(), self._verdicts())

    def to_json(self) -> str:
        """What `save` writes."""
        import json

        from ._saved import plain

        return json.dumps(plain(self._benchmarks(), self._verdicts()), indent=2)

    def _benchmarks(self) -> list[dict[str, Any]]:
        from ._saved import outcome_of

        return [outcome_of(name, outcome) for name, outcome in self.contenders.items()]

    def _verdicts(self) -> list[dict[str, Any]]:
        told = ("verdict", "ratio", "interval", "reason")
        return [
            {"base": base, "new": new, **{name: getattr(verdict, name) for name in told}}
            for (base, new), verdict in self.verdicts.items()
        ]

    def to_markdown(self) -> str:
        """The table for a pull request."""
        return self._outcome.markdown

    def __str__(self) -> str:
        return "\n".join([self._outcome.text, *self.warnings])

    def __repr__(self) -> str:
        return f"<laptime.FunctionComparison: {self.headline}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return self._outcome.mimebundle(include, exclude)


def compare_functions(
    contenders: Mapping[str, Callable[..., Any]],
    *,
    setup: Callable[[], Any] | None = None,
    budget: float | None = None,
    threshold: float = THRESHOLD,
    seed: int | None = None,
) -> FunctionComparison:
    """Runs functions in turns until it's clear which are faster than the first, or `budget` seconds
    are over: 3 for each of them unless told otherwise.

        print(lt.compare({"eager": lambda: model(x), "compiled": lambda: compiled(x)}))

    `setup()` is called for each iteration of each function, outside of the measured time; what it
    returns is the function's one argument, or all of them where that is a tuple. Without it they
    are called without arguments.

    A difference below `threshold`, a part of the base, counts as none. What the machine does by
    itself is measured too: the base also runs against itself. `seed` sets the order of turns.
    """
    from random import SystemRandom

    from ._bench import check_numbers
    from ._prepared import Prepared
    from ._repeated import Repeated

    names = [str(name) for name in contenders]
    if len(names) < 2:
        raise ValueError(f"a comparison takes two functions or more, not {len(names)}")
    measured = [
        Repeated(fn, way_out="lt.compare(…, setup=…)") if setup is None else Prepared(fn, setup)
        for fn in contenders.values()
    ]
    seconds = EACH * len(names) if budget is None else budget
    check_numbers(budget=seconds, threshold=threshold)
    order = SystemRandom().getrandbits(32) if seed is None else seed
    plan = ContestPlan(names, seconds, threshold, order)
    while (turn := plan.next()) is not None:
        contender, iterations = turn
        told = measured[contender].run(iterations)
        plan.spend(measured[contender].aside)
        plan.told(*told)
    outcome = plan.outcome()
    if outcome is None:
        raise ValueError(
            f"the budget of {seconds:g} s ended before each function had run once: "
            "tell a larger budget"
        )
    doubts = [
        f"{visible_text(name)}: {said}"
        for name, one in zip(names, measured, strict=True)
        for said in one.doubts()
    ]
    return FunctionComparison(names, outcome, doubts)


def compare_saved(
    base: str | PathLike[str], new: str | PathLike[str], *, threshold: float = THRESHOLD
) -> dict[str, SpeedVerdict]:
    """The verdict on every benchmark that two files have in common, by its name.

    Each file was measured on its own: what the machine did in between is part of the difference.
    """
    from ._saved import read

    before, after = read(base), read(new)
    if len(before) == len(after) == 1:
        ((old, one),), ((name, other),) = before.items(), after.items()
        return {
            name: judge_samples((old if old != name else "before", one), (name, other), threshold)
        }
    both = [name for name in before if name in after]
    if not both:
        raise ValueError("the two files have no benchmark of the same name")
    return {
        name: judge_samples(("before", before[name]), (name, after[name]), threshold)
        for name in both
    }
