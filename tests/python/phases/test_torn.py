"""Laps of the program's own that would cut its steps into pieces, and what is told of that.

Which laps do is a rule (`crates/laptime-phases/tests/rules/torn.rs`).
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
import torch
from torch.profiler import record_function

import laptime as lt

STEPS = 12


def trained(around: Callable, *names: str) -> None:
    """Trains with a range around each part of a step."""
    model = torch.nn.Linear(16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    forward, backward, update = names
    for _ in range(STEPS):
        with around(forward):
            loss = model(torch.ones(8, 16)).sum()
        with around(backward):
            loss.backward()
        with around(update):
            optimizer.step()
            optimizer.zero_grad()


@pytest.mark.parametrize("around", [lt.lap, record_function, torch.cuda.nvtx.range])
def test_ranges_of_any_kind_are_laps_that_tear_steps_or_are_their_phases(tmp_path, around):
    with lt.record(tmp_path / "torn.lap", phases=True) as torn:
        trained(around, "fw", "bw", "upd")
    with lt.record(tmp_path / "whole.lap", phases=True) as whole:
        trained(around, "forward", "backward", "optimizer")
    report = lt.open(torn.path).report()
    said = [one for one in warnings_of(report) if one["code"] == "phases.torn"]
    assert len(said) == 1
    assert "lap fw holds only a part of a step" in said[0]["message"]
    assert report.headline.endswith("Its steps are told in pieces: see the warning below.")
    report = lt.open(whole.path).report()
    assert "phases.torn" not in [one["code"] for one in warnings_of(report)]
    counts = {path: report[path].count for path in report if report[path].count}
    assert counts == {"forward": STEPS, "backward": STEPS, "optimizer": STEPS}


def warnings_of(report: lt.Report) -> list[dict[str, str]]:
    return json.loads(report.to_json())["warnings"]


def test_a_profiled_step_takes_the_wait_for_its_item_along(tmp_path):
    model = torch.nn.Linear(16, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    items = (torch.ones(8, 16) for _ in range(8))
    with lt.record(tmp_path / "run.lap", phases=True, kernels="3:5") as recording:
        for item in lt.track(items, "step"):
            optimizer.zero_grad()
            model(item).sum().backward()
            optimizer.step()
    report = lt.open(recording.path).report()
    for path in ("step", "step/data"):
        assert (report[path].count, report[f"profiled {path}"].count) == (6, 2), path
