"""What the pytest plug-in says of a benchmark: what its marker asks for, and whether it is slower.

The marker and the baseline go in; a failure or a line of the summary, both as text, come out. The
verdict itself is `judge_samples`'s. One rule stands beside it, for benchmarks so long that a budget
holds only a few samples: where every new sample is longer than every old one, that is slower.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pytest

    from ..benchmarks._bench import Bench

#: Smallest difference that fails a test, unless its marker says otherwise.
THRESHOLD = 0.05
#: Samples that each side needs for the rule of "all are longer". With five a side, equal speeds
#: come out that way once in 252 times (10 choose 5): 0.4 %.
FEWEST = 5


@dataclass(frozen=True)
class Asked:
    """What a marker asks for."""

    bench: Bench
    threshold: float
    budget: float


def asked_by(marker: pytest.Mark | None) -> Asked:
    """What a test's marker asks for; ValueError says what is wrong with it and what works."""
    from .._core import judge_samples
    from ..benchmarks import bench

    parameters = inspect.signature(bench.options).parameters
    # A test's benchmark is called as the test is.
    known = ["threshold", *(name for name in parameters if name != "name")]
    told: dict[str, Any] = dict(marker.kwargs) if marker else {}
    if marker and marker.args:
        given = ", ".join(map(repr, marker.args))
        raise ValueError(
            f"@pytest.mark.laptime({given}) must name its arguments, for example "
            "@pytest.mark.laptime(threshold=0.2, budget=5)."
        )
    if unknown := [name for name in told if name not in known]:
        raise ValueError(
            f"@pytest.mark.laptime has no argument {', '.join(map(repr, unknown))}. "
            f"It takes {', '.join(known)}."
        )
    written = ", ".join(f"{name}={value!r}" for name, value in told.items())
    threshold = told.pop("threshold", THRESHOLD)
    try:
        judge_samples(("base", [1.0]), ("new", [1.0]), threshold)  # refuses what is no threshold
        asked = bench.options(**told)
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"@pytest.mark.laptime({written}): {error}. Numbers that work: "
            "@pytest.mark.laptime(threshold=0.05, budget=2), which is 5 % and 2 s."
        ) from None
    return Asked(asked, float(threshold), told.get("budget", parameters["budget"].default))


class Baseline:
    """The benchmarks of an earlier run: samples in nanoseconds, by name."""

    def __init__(self, name: str, samples: dict[str, list[float]]) -> None:
        self._name = name
        self._samples = samples

    def hold(self, name: str, new: list[float], asked: Asked) -> tuple[str | None, str | None]:
        """Why the test fails, or why nothing can be said of it: one of them, or neither."""
        from .._core import judge_samples

        base = self._samples.get(name)
        if base is None:
            return None, (
                f"{name}: not in the baseline. --laptime-save {self._name} adds it, where the code "
                "is as fast as it should be."
            )
        judged = judge_samples(("the baseline", base), (name, new), asked.threshold)
        if judged.verdict == "slower":
            return f"{judged.sentence} {judged.reason}", None
        if judged.verdict == "not-comparable":
            return None, (
                f"{name}: {judged.reason} Measure the baseline anew with "
                f"--laptime-save {self._name}, on its own code."
            )
        if judged.verdict != "inconclusive":
            return None, None
        if all_longer(base, new, asked.threshold):
            return (
                f"{name} is slower than the baseline: all {len(new)} samples are longer than all "
                f"{len(base)} of the baseline, {min(new) / max(base):.2f} times at least, which is "
                f"beyond the threshold of {100 * asked.threshold:g} %."
            ), None
        found = f"{judged.ratio:.2f} times as long as the baseline, by " if judged.ratio else ""
        return None, (
            f"{name}: {found}{len(new)} samples against {len(base)}. {judged.reason} Give it a "
            f"larger budget than {asked.budget:g} s, for example "
            f"@pytest.mark.laptime(budget={5 * asked.budget:g}), and measure the baseline with it "
            f"too: --laptime-save {self._name}, on its own code."
        )


def all_longer(base: list[float], new: list[float], threshold: float) -> bool:
    """Whether every new sample is longer than every old one, by more than the threshold."""
    enough = min(len(base), len(new)) >= FEWEST
    return enough and min(new) > max(base) * (1 + threshold)
