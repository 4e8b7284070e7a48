"""What the program raises goes on its way, and the spans are right afterwards."""

from __future__ import annotations

import contextlib
import json
import logging
import subprocess
import sys

import pytest
import torch
from torch import nn
from watched import adds_up, loader, network, watched

import laptime as lt
from laptime.integrations._patches import Patches

errors = pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])


class Raises(nn.Module):
    def __init__(self, fails):
        super().__init__()
        self.fails = fails

    def forward(self, value):
        self.fails("forward")
        return value


class RaisesInBackward(torch.autograd.Function):
    @staticmethod
    def forward(ctx, value, fails):
        ctx.fails = fails
        return value.clone()

    @staticmethod
    def backward(ctx, gradient):
        ctx.fails("backward")
        return gradient, None


@errors
def test_whatever_is_raised_wherever_ends_its_spans(error):
    """In each of four rounds something else fails; the others are steps."""
    where = {3: "forward", 5: "backward", 7: "optimizer", 9: "data"}
    index = 0

    def fails(what):
        if where.get(index) == what:
            raise error(what)

    class Descent(torch.optim.SGD):
        def step(self, closure=None):
            fails("optimizer")
            return super().step(closure)

    class Data(torch.utils.data.Dataset):
        def __len__(self):
            return 12

        def __getitem__(self, _):
            fails("data")
            return torch.ones(4), 0

    model = nn.Sequential(network(), Raises(fails))
    optimizer = Descent(model.parameters(), lr=0.1)
    raised = []
    with watched() as core:
        batches = iter(torch.utils.data.DataLoader(Data()))
        for _ in range(12):
            try:
                inputs, targets = next(batches)
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(inputs), targets)
                RaisesInBackward.apply(loss, fails).backward()
                optimizer.step()
            except error as one:
                raised.append(str(one))
            index += 1
    assert raised == list(where.values())
    assert core.count("step/data") == 11
    assert core.count("step/forward") == 10
    assert core.count("step/backward") == 9
    # Whoever steps has updated some weights, maybe; and the error is the program's.
    assert core.count("step") == 9
    assert "evaluation" not in core.paths()


def test_an_error_in_a_closure_ends_the_optimizer():
    model = network()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=2)
    calls = []

    def closure():
        calls.append(1)
        if len(calls) == 3:
            raise KeyboardInterrupt
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(torch.ones(2, 4)), torch.tensor([0, 1]))
        loss.backward()
        return loss

    with watched() as core:
        for _ in range(4):
            with contextlib.suppress(KeyboardInterrupt):
                optimizer.step(closure)
    assert core.count("step") == core.count("step/optimizer") == 4


def test_a_failure_of_laptime_itself_switches_phases_off_and_training_goes_on(caplog, monkeypatch):
    learns = Patches._learns
    failing = []
    monkeypatch.setattr(Patches, "_learns", lambda *given: 1 / 0 if failing else learns(*given))

    def train(model):
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for inputs, _ in loader(2):
            model(inputs).sum().backward()
            optimizer.step()

    with watched() as core:
        train(network())
        failing.append(True)
        model = network()
        with caplog.at_level(logging.WARNING, "laptime"):
            train(model)
    assert core.count("step/forward") == 2
    assert model[0].weight.grad is not None
    said = "automatic phases are off from here on: ZeroDivisionError: division by zero; "
    said += "the program goes on"
    assert [record.message for record in caplog.records] == [said]
    assert not caplog.records[0].exc_info


# -- the end -------------------------------------------------------------------------------


def whole_and_in_part(recording):
    """How often each path ran, whole and in part."""
    report = lt.open(recording).report()
    adds_up(report)
    rows = json.loads(report.to_json())["rows"]
    return {
        row["path"]: (row["count"], row.get("partial_count", 0)) for row in rows if row["count"]
    }


FAILS = """
import time, torch

model = torch.nn.Linear(4, 2)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
begun = time.perf_counter_ns()
try:
    for index in range(9):
        loss = model(torch.ones(2, 4)).sum()
        if index == 5:
            raise KeyboardInterrupt
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
finally:
    print("until the interrupt", time.perf_counter_ns() - begun)
    time.sleep(0.2)
"""


def test_a_program_that_is_interrupted_between_forward_and_backward(tmp_path):
    (tmp_path / "fails.py").write_text(FAILS)
    command = [sys.executable, "-m", "laptime", "run", "-o", "fails.lap", "fails.py"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert ended.returncode != 0
    until_the_interrupt = int(ended.stdout.split()[-1])
    assert whole_and_in_part(tmp_path / "fails.lap") == {
        "step": (5, 1),
        "step/forward": (6, 0),
        "step/backward": (5, 0),
        "step/optimizer": (5, 0),
    }
    step = lt.open(tmp_path / "fails.lap").report()["step"]
    assert step.total_ns < 1.01 * until_the_interrupt, "what was slept after it is in no step"


@pytest.mark.parametrize(
    ("trains", "fails", "counts"),
    [
        (True, True, {"step": (4, 1), "step/forward": (5, 0)}),
        (True, False, {"step": (4, 0), "step/forward": (4, 0), "evaluation": (1, 0)}),
        (False, True, {"evaluation": (5, 0), "evaluation/forward": (5, 0)}),
    ],
)
def test_a_forward_that_an_error_followed_is_of_the_step_that_it_began(
    tmp_path, trains, fails, counts
):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with contextlib.suppress(ValueError), lt.record(tmp_path / "left.lap", phases=True) as record:
        for _ in range(4):
            loss = model(torch.ones(2, 4)).sum()
            if trains:
                loss.backward()
                optimizer.step()
        model(torch.ones(2, 4))
        if fails:
            raise ValueError("boom")
    found = whole_and_in_part(record.path)
    assert {path: found[path] for path in counts} == counts
    assert ("evaluation" in found) == ("evaluation" in counts)
