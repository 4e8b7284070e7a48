"""What the program raises goes on its way, and the spans are right afterwards."""

import contextlib
import json
import logging
import subprocess
import sys

import pytest
import torch
from torch import nn
from watched import loader, network, watched

import laptime as lt
from laptime.integrations._patches import Patches


class Raises(nn.Module):
    """Raises at chosen calls."""

    def __init__(self, error, at):
        super().__init__()
        self.error, self.at, self.calls = error, at, 0
        self.inner = network()

    def forward(self, inputs):
        self.calls += 1
        if self.calls in self.at:
            raise self.error("in forward")
        return self.inner(inputs)


class Breaks(torch.autograd.Function):
    """Raises in its backward."""

    @staticmethod
    def forward(ctx, value, error):
        ctx.error = error
        return value.clone()

    @staticmethod
    def backward(ctx, gradient):
        raise ctx.error("in backward")


def train(model, batches):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for inputs, targets in batches:
        try:
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(inputs), targets).backward()
            optimizer.step()
        except (RuntimeError, KeyboardInterrupt):
            continue


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_error_in_a_forward_ends_its_spans(error):
    with watched() as core:
        train(Raises(error, {2}), loader(4))
    assert core.count("step") == core.count("step/backward") == core.count("step/forward") == 3


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_error_leaves_the_program_as_it_would_without_laptime(error):
    model = Raises(error, {1})
    with watched(), pytest.raises(error, match="in forward"):
        model(torch.ones(2, 4))


def test_an_error_in_a_backward_ends_its_spans():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with watched() as core:
        for index, (inputs, targets) in enumerate(loader(4)):
            loss = nn.functional.cross_entropy(model(inputs), targets)
            if index == 1:
                with pytest.raises(RuntimeError, match="in backward"):
                    Breaks.apply(loss, RuntimeError).backward()
                continue
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
    assert core.count("step/backward") == core.count("step/optimizer") == 3


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
def test_an_error_in_a_closure_ends_the_optimizer(error):
    model = network()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=2)
    calls = []

    def closure():
        calls.append(1)
        if len(calls) == 3:
            raise error("in the closure")
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(torch.ones(2, 4)), torch.tensor([0, 1]))
        loss.backward()
        return loss

    with watched() as core:
        for _ in range(4):
            try:
                optimizer.step(closure)
            except error:
                pass
    assert core.count("step") == core.count("step/optimizer") == 4


def test_an_error_in_the_dataset_is_no_step_that_never_ends():
    class Dataset(torch.utils.data.Dataset):
        def __len__(self):
            return 4

        def __getitem__(self, index):
            if index == 2:
                raise RuntimeError("in the dataset")
            return torch.ones(4), 0

    model = network()
    with watched() as core:
        with pytest.raises(RuntimeError, match="in the dataset"):
            train(model, torch.utils.data.DataLoader(Dataset()))
        train(model, loader(2))
    assert core.count("step/backward") == 4


def test_a_failure_of_laptime_itself_switches_phases_off_and_training_goes_on(caplog, monkeypatch):
    learns = Patches._learns
    failing = []
    monkeypatch.setattr(Patches, "_learns", lambda *given: 1 / 0 if failing else learns(*given))
    with watched() as core:
        train(network(), loader(2))
        failing.append(True)
        model = network()
        with caplog.at_level(logging.WARNING, "laptime"):
            for inputs, _ in loader(2):
                model(inputs).sum().backward()
    assert core.count("step/forward") == 2
    assert model[0].weight.grad is not None
    said = "automatic phases are off from here on: ZeroDivisionError: division by zero; "
    said += "the program goes on"
    assert [record.message for record in caplog.records] == [said]
    assert not caplog.records[0].exc_info


def test_a_forward_on_another_thread_while_one_trains_belongs_to_that_one():
    import threading

    class Replicated(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = network()

        def forward(self, inputs):
            found = []
            threads = [
                threading.Thread(target=lambda: found.append(self.inner(inputs))) for _ in range(2)
            ]
            for thread in threads:
                thread.start()
                thread.join()
            return sum(found)

    with watched() as core:
        train(Replicated(), loader(3))
    assert core.count("step") == core.count("step/forward") == 3
    assert core.paths() == ["step", "step/backward", "step/data", "step/forward", "step/optimizer"]


def whole_and_in_part(recording):
    """How often each path ran, whole and in part."""
    rows = json.loads(lt.open(recording).report().to_json())["rows"]
    return {
        row["path"]: (row["count"], row.get("partial_count", 0)) for row in rows if row["count"]
    }


STEPS = {"step": (5, 1), "step/forward": (6, 0), "step/backward": (5, 0)}
FAILS = """
import torch
model = torch.nn.Linear(8, 8)
for index in range(8):
    outputs = model(torch.ones(4, 8))
    if index == 5:
        {ends}
    if {trains}:
        outputs.sum().backward()
"""


@pytest.mark.parametrize(
    ("ends", "trains", "counts"),
    [
        ("raise ValueError('boom')", True, STEPS),
        ("raise KeyboardInterrupt", True, STEPS),
        ("raise ValueError('boom')", False, {"evaluation": (6, 0), "evaluation/forward": (6, 0)}),
    ],
)
def test_a_forward_that_an_error_followed_is_of_the_step_that_it_began(
    tmp_path, ends, trains, counts
):
    (tmp_path / "fails.py").write_text(FAILS.format(ends=ends, trains=trains))
    command = [sys.executable, "-m", "laptime", "run", "-o", "fails.lap", "fails.py"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert ended.returncode != 0
    assert whole_and_in_part(tmp_path / "fails.lap") == counts


@pytest.mark.parametrize("fails", [True, False])
def test_an_error_that_leaves_a_recording_cuts_its_last_step_short(tmp_path, fails):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with contextlib.suppress(ValueError), lt.record(tmp_path / "left.lap", phases=True) as record:
        for _ in range(4):
            model(torch.ones(2, 4)).sum().backward()
            optimizer.step()
        model(torch.ones(2, 4))
        if fails:
            raise ValueError("boom")
    counts = whole_and_in_part(record.path)
    assert (counts["step"], counts.get("evaluation")) == (
        (4, int(fails)),
        None if fails else (1, 0),
    )
