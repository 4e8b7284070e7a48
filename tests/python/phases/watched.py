"""Real torch under watch, recorded to disk: what was recorded is read back at the end."""

from __future__ import annotations

import json
import tempfile
from contextlib import contextmanager

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import laptime as lt
from laptime import _core
from laptime.integrations._patches import Patches


class Recorded:
    """What was recorded, once :func:`watched` is over."""

    def __init__(self) -> None:
        self.rows: dict[str, tuple[int, int]] = {}
        """Count and time of each path. Continued spans count once, those cut short not at all."""
        self.cut_short: dict[str, int] = {}
        """How often a path was."""
        self.marks: dict[str, int] = {}
        self.warnings: list[str] = []

    def read(self, path: str, ends_well: bool) -> None:
        report = lt.open(path).report()
        if ends_well:
            adds_up(report)
        rows = {at: report[at] for at in report if report[at].count is not None}
        self.rows = {at: (row.count or 0, row.total_ns or 0) for at, row in rows.items()}
        summary = json.loads(report.to_json())
        parts = {row["path"]: row.get("partial_count", 0) for row in summary["rows"]}
        self.cut_short = {at: count for at, count in parts.items() if count}
        self.marks = {mark["path"]: mark["count"] for mark in summary["marks"]}
        self.warnings = list(report.warnings)

    def count(self, path: str) -> int:
        return self.rows.get(path, (0, 0))[0]

    def total(self, path: str) -> int:
        return self.rows.get(path, (0, 0))[1]

    def paths(self) -> list[str]:
        return sorted(self.rows)


def adds_up(report: lt.Report) -> None:
    """No time is counted twice.

    Self times of all paths share the wall time out between them, and what lies directly inside a
    span never takes longer than the span. Of threads that work at once that says nothing.
    """
    assert not any("order" in warning for warning in report.warnings), report.warnings
    summary = json.loads(report.to_json())
    if "parallel_ns" in summary:
        return
    rows = {path: report[path] for path in report}
    # Each is rounded to a nanosecond, those cut short as well.
    counts = [(row["count"], row.get("partial_count")) for row in summary["rows"]]
    spans = sum((whole or 0) + (part or 0) for whole, part in counts)
    assert sum(row.self_ns or 0 for row in rows.values()) <= (report.wall_ns or 0) + spans
    for path, row in rows.items():
        inside = [
            other.total_ns or 0 for at, other in rows.items() if at.rpartition("/")[0] == path
        ]
        assert sum(inside) <= (row.total_ns or 0) + spans, path


@contextmanager
def watched(*, modules: bool = False, ends_well: bool = True):
    """Phases are on inside; what is given tells afterwards what was recorded.

    `ends_well` is false where a thread ends amid a step: what it left open is told as such.
    """
    recorded = Recorded()
    with tempfile.TemporaryDirectory() as folder:
        outside = _core.path_number()
        recording = lt.record(f"{folder}/run.lap", phases=False)
        patches = Patches(torch, _core, modules=modules)
        patches.apply()
        try:
            yield recorded
        finally:
            patches.remove()
            recording.stop()
        assert _core.path_number() == outside, "a span was left open"
        recorded.read(recording.path, ends_well)


def network(width: int = 8) -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, width), nn.ReLU(inplace=True), nn.Linear(width, 3))


def loader(batches: int, *, batch_size: int = 2, **options) -> DataLoader:
    generator = torch.Generator().manual_seed(1)
    count = batches * batch_size
    inputs = torch.randn(count, 4, generator=generator)
    targets = torch.randint(3, (count,), generator=generator)
    return DataLoader(TensorDataset(inputs, targets), batch_size=batch_size, **options)


def children(recorded: Recorded, parent: str) -> int:
    """Time of a path's direct children."""
    depth = parent.count("/") + 1
    inside = [at for at in recorded.rows if at.startswith(parent + "/") and at.count("/") == depth]
    return sum(map(recorded.total, inside))
