"""What was told of a training, beside its timers."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from watched import Recorded, watched

from .plan import Plan
from .timers import Timers
from .train import Training

PHASES = [
    "step",
    "step/data",
    "step/forward",
    "step/backward",
    "step/optimizer",
    "evaluation",
    "evaluation/data",
    "evaluation/forward",
]
#: Of the timers' time, or so many nanoseconds.
RATIO, LEAST_NS = 0.02, 1_000_000


@dataclass(frozen=True)
class Figure:
    """One number of a training: as told, and as timers have it."""

    name: str
    told: float
    least: float
    most: float

    @property
    def verdict(self) -> str:
        """Whether it is right, wrong, or unsaid."""
        if self.least <= self.told <= self.most:
            return "right"
        return "wrong" if self.told else "unsaid"

    def __str__(self) -> str:
        to_most = "" if self.least == self.most else f" to {self.most:g}"
        return f"{self.name}: {self.told:g} told, {self.least:g}{to_most} by timers"


def figures(told: Recorded, timers: Timers) -> list[Figure]:
    """All numbers that are compared."""
    found = []
    for path in PHASES:
        count = timers.counts[path]
        found.append(Figure(f"{path} count", told.count(path), count, count))
        inside = timers.inside[path]
        if "/" not in path:
            inside = sum(ns for at, ns in timers.inside.items() if at.startswith(f"{path}/"))
        around = timers.around[path]
        least = inside - max(LEAST_NS, RATIO * inside)
        most = around + max(LEAST_NS, RATIO * around)
        bounds = max(0.0, least) / 1e6, most / 1e6
        found.append(Figure(f"{path} ms", told.total(path) / 1e6, *bounds))
    epochs = told.marks.get("epoch", 0)
    found.append(Figure("epochs", epochs, timers.epochs, timers.epochs))
    others = [path for path in told.paths() if path.partition("/")[0] not in ("step", "evaluation")]
    others = [path for path in others if path != "compile"]
    found.append(Figure(f"rows of others {' '.join(others)}".strip(), len(others), 0, 0))
    return found


def inferred(told: Recorded) -> Figure:
    """Notes that a forward was no call of a module: recordings of a process share them."""
    notes = sum("no call of a module" in one for one in told.warnings)
    return Figure("notes of inferred forwards", notes, 0, 0)


def verdict(plan: Plan, *, is_alone: bool = False) -> list[Figure]:
    """Trains under watch; `is_alone`: nothing else was trained in this process."""
    torch.manual_seed(0)
    training = Training(plan)
    with watched() as told:
        timers = training.run()
    return figures(told, timers) + [inferred(told)] * is_alone
