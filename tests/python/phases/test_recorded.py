"""Whole training scripts recorded to disk and read back.

Counts must be what the scripts do, and times must add up.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import threading
from contextlib import contextmanager

import pytest
import torch
from torch import nn
from watched import loader, network

import laptime as lt


class Recorded:
    """What a script left on disk."""

    def __init__(self):
        self.report = None

    def counts(self):
        return {path: self.report[path].count for path in self.report if self.report[path].count}


@pytest.fixture
def recorded(tmp_path):
    @contextmanager
    def record(**options):
        result = Recorded()
        recording = lt.record(tmp_path / "run.lap", phases=True, **options)
        try:
            yield result
        finally:
            recording.stop()
        result.report = lt.open(recording.path).report()

    return record


def each(count):
    return dict.fromkeys(
        ("step", "step/data", "step/forward", "step/backward", "step/optimizer"), count
    )


def batch(model, optimizer, inputs, targets, zero_first=True):
    if zero_first:
        optimizer.zero_grad()
    loss = nn.CrossEntropyLoss()(model(inputs), targets)
    loss.backward()
    optimizer.step()
    if not zero_first:
        optimizer.zero_grad()


@pytest.mark.parametrize("zero_first", [True, False])
def test_a_plain_loop(recorded, zero_first):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with recorded() as result:
        for _ in range(3):
            for inputs, targets in loader(5):
                batch(model, optimizer, inputs, targets, zero_first)
    assert result.counts() == each(15)
    step = result.report["step"]
    inside = [result.report[path].total_ns for path in each(1) if path != "step"]
    assert step.self_ns == step.total_ns - sum(inside)


def test_without_a_loader(recorded):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    inputs, targets = torch.ones(2, 4), torch.tensor([0, 1])
    with recorded() as result:
        for _ in range(6):
            batch(model, optimizer, inputs, targets)
    expected = each(6)
    del expected["step/data"]
    assert result.counts() == expected


def test_epochs_with_validation_on_the_training_loader_and_another(recorded):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    train, test = loader(4), loader(3)
    with recorded() as result:
        for _ in range(3):
            for inputs, targets in train:
                batch(model, optimizer, inputs, targets)
            with torch.no_grad():
                for inputs, _ in test:
                    model(inputs)
            for inputs, _ in train:
                with torch.no_grad():
                    model(inputs)
    counts = result.counts()
    assert {path: counts[path] for path in each(1)} == each(12)
    assert counts["evaluation"] == counts["evaluation/data"] == counts["evaluation/forward"] == 21


def test_validation_in_the_middle_of_an_epoch(recorded):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with recorded() as result:
        for index, (inputs, targets) in enumerate(loader(6)):
            batch(model, optimizer, inputs, targets)
            if index % 2:
                with torch.inference_mode():
                    for held_out, _ in loader(2):
                        model(held_out)
    counts = result.counts()
    assert counts["step"] == counts["step/data"] == counts["step/optimizer"] == 6
    assert counts["evaluation"] == counts["evaluation/forward"] == 6


def test_accumulated_gradients(recorded):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with recorded() as result:
        for index, (inputs, targets) in enumerate(loader(12)):
            nn.functional.cross_entropy(model(inputs), targets).backward()
            if index % 3 == 2:
                optimizer.step()
                optimizer.zero_grad()
    counts = result.counts()
    assert counts["step"] == counts["step/optimizer"] == 4
    assert counts["step/data"] == counts["step/forward"] == counts["step/backward"] == 12


def test_two_optimizers(recorded):
    one, other = network(), nn.Linear(3, 1)
    of_one = torch.optim.SGD(one.parameters(), lr=0.1)
    of_other = torch.optim.SGD(other.parameters(), lr=0.1)
    with recorded() as result:
        for inputs, _ in loader(5):
            of_other.zero_grad()
            other(one(inputs).detach()).mean().backward()
            of_other.step()
            of_one.zero_grad()
            other(one(inputs)).mean().backward()
            of_one.step()
    counts = result.counts()
    assert counts["step"] == counts["step/data"] == 5
    assert counts["step/backward"] == counts["step/optimizer"] == counts["step/forward"] == 10


def test_a_closure(recorded):
    model = network()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=2)
    with recorded() as result:
        for inputs, targets in loader(4):

            def closure(inputs=inputs, targets=targets):
                optimizer.zero_grad()
                loss = nn.functional.cross_entropy(model(inputs), targets)
                loss.backward()
                return loss

            optimizer.step(closure)
    counts = result.counts()
    assert counts["step"] == counts["step/optimizer"] == counts["step/data"] == 4
    assert counts["step/forward"] == counts["step/backward"] >= 4


def test_one_batch_fetched_once_and_trained_on_for_ever(recorded):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with recorded() as result:
        inputs, targets = next(iter(loader(3)))
        for _ in range(5):
            batch(model, optimizer, inputs, targets)
    counts = result.counts()
    assert counts["step"] == counts["step/forward"] == 5


def test_laps_of_the_users(recorded):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with recorded() as result:
        with lt.lap("train"):
            for inputs, targets in loader(4):
                optimizer.zero_grad()
                with lt.lap("mine"):
                    loss = nn.functional.cross_entropy(model(inputs), targets)
                loss.backward()
                optimizer.step()
        for inputs, targets in loader(4):
            with lt.lap("body"):
                batch(model, optimizer, inputs, targets)
    counts = result.counts()
    assert counts["train/step"] == counts["train/step/data"] == 4
    assert counts["train/step/mine"] == counts["train/step/mine/forward"] == 4
    assert counts["step"] == counts["step/data"] == counts["step/body"] == 4
    assert counts["step/body/forward"] == counts["step/body/optimizer"] == 4


def test_track_takes_the_place_of_the_step(recorded):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with recorded() as result:
        for inputs, targets in lt.track(loader(5), "step"):
            batch(model, optimizer, inputs, targets)
    counts = result.counts()
    assert counts["step"] == counts["step/forward"] == counts["step/backward"] == 5
    assert not any("step/step" in path or "data/" in path for path in counts)


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt])
@pytest.mark.parametrize("where", ["forward", "backward", "optimizer", "data"])
def test_whatever_is_raised_wherever(recorded, where, error):
    class Raises(nn.Module):
        def forward(self, value):
            if where == "forward" and calls[0] == 3:
                raise error
            return value

    class Descent(torch.optim.SGD):
        def step(self, closure=None):
            if where == "optimizer" and calls[0] == 3:
                raise error
            return super().step(closure)

    def fails(gradient):
        if where == "backward" and calls[0] == 3:
            raise error
        return gradient

    class Data(torch.utils.data.Dataset):
        def __len__(self):
            return 6

        def __getitem__(self, index):
            if where == "data" and index == 3:
                raise error
            return torch.ones(4), 0

    calls = [-1]
    model = nn.Sequential(network(), Raises())
    optimizer = Descent(model.parameters(), lr=0.1)
    with recorded() as result:
        batches = iter(torch.utils.data.DataLoader(Data()))
        for _ in range(6):
            calls[0] += 1
            try:
                inputs, targets = next(batches)
                out = model(inputs)
                out.register_hook(fails)
                optimizer.zero_grad()
                nn.functional.cross_entropy(out, targets).backward()
                optimizer.step()
            except (error, StopIteration):
                pass
    counts = result.counts()
    assert counts["step/data"] >= 5
    assert counts["step/optimizer"] >= 4
    assert "evaluation" not in counts
    whole = result.report["step"].total_ns
    inside = sum(result.report[p].total_ns for p in counts if p.count("/") == 1)
    assert inside <= whole


def test_training_on_another_thread(recorded):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def train():
        for inputs, targets in loader(4):
            batch(model, optimizer, inputs, targets)

    with recorded() as result:
        model(torch.ones(2, 4))
        thread = threading.Thread(target=train)
        thread.start()
        thread.join()
    assert result.counts()["step/backward"] == 4


def test_modules(recorded):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with recorded(modules=True) as result:
        for inputs, targets in loader(4):
            batch(model, optimizer, inputs, targets)
    counts = result.counts()
    for phase in ("forward", "backward"):
        assert counts[f"step/{phase}"] == 4
        assert [counts[f"step/{phase}/Sequential/{name}"] for name in "012"] == [4, 4, 4]


def test_weights_are_the_same_to_the_bit_with_and_without(recorded):
    def train():
        torch.manual_seed(4)
        model = network()
        optimizer = torch.optim.AdamW(model.parameters())
        for inputs, targets in loader(6, num_workers=1):
            batch(model, optimizer, inputs, targets)
        return model.state_dict()

    expected = train()
    with recorded() as result:
        got = train()
    assert all(torch.equal(expected[name], got[name]) for name in expected)
    assert result.counts() == each(6)


def test_a_compiled_model_is_one_lap_that_says_so(recorded):
    torch._dynamo.reset()
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    with recorded(modules=True) as result:
        for inputs, targets in loader(4):
            batch(compiled, optimizer, inputs, targets)
    counts = result.counts()
    inside = "Sequential/inside compiled graph"
    assert counts[f"step/forward/{inside}"] == counts[f"step/backward/{inside}"] == 4
    assert counts[f"step/forward/{inside}/compile"] == 1
    assert not any(path.endswith(("/0", "/1", "/2")) for path in counts)


def test_a_compiled_part_of_a_model_is_one_lap_that_says_so(recorded):
    torch._dynamo.reset()
    model = nn.Sequential(nn.Linear(4, 4), network())
    model[1].compile(fullgraph=True, backend="aot_eager")
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with recorded(modules=True) as result:
        for inputs, targets in loader(4):
            batch(model, optimizer, inputs, targets)
    counts = result.counts()
    assert counts["step/forward/Sequential/0"] == 4
    assert counts["step/forward/Sequential/1/inside compiled graph"] == 4
    assert "step/forward/Sequential/1/0" not in counts


def test_compile_time_is_a_span_of_its_own(recorded):
    torch._dynamo.reset()
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    with recorded() as result:
        for inputs, targets in loader(4):
            batch(compiled, optimizer, inputs, targets)
    expected = {**each(4), "step/forward/compile": 1, "step/backward/compile": 1}
    assert result.counts() == expected


@pytest.mark.parametrize("hook", ["inner", "outer"])
def test_modules_with_hooks_compile_to_whole_graphs(recorded, hook):
    torch._dynamo.reset()
    model = network()
    (model[0] if hook == "inner" else model).register_forward_hook(lambda *a: a[-1] * 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    compiled = torch.compile(lambda x: model(x), fullgraph=True, backend="eager")
    with recorded():
        for inputs, targets in loader(2):
            batch(compiled, optimizer, inputs, targets)


@pytest.mark.parametrize("where", ["data", "forward", "between"])
def test_a_program_that_ends_by_an_interrupt_adds_up_and_warns_of_nothing(tmp_path, where):
    script = tmp_path / "train.py"
    script.write_text(f"""
import time, torch
from torch import nn

class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 9
    def __getitem__(self, index):
        if index == 5 and {where!r} == "data":
            time.sleep(0.05)
            raise KeyboardInterrupt
        return torch.ones(4), 0

class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.calls = nn.Linear(4, 2), 0
    def forward(self, value):
        self.calls += 1
        if self.calls == 6 and {where!r} == "forward":
            raise KeyboardInterrupt
        return self.inner(value)

model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
begun = time.perf_counter_ns()
try:
    for index, (inputs, targets) in enumerate(torch.utils.data.DataLoader(Data())):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(inputs), targets)
        if index == 5 and {where!r} == "between":
            raise KeyboardInterrupt
        loss.backward()
        optimizer.step()
finally:
    print("until the interrupt", time.perf_counter_ns() - begun)
    time.sleep(0.2)
""")
    folder = tmp_path / "run.lap"
    command = [sys.executable, "-m", "laptime", "run", "-o", folder, "--", sys.executable, script]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    until_the_interrupt = int(done.stdout.split()[-1])
    report = lt.open(folder).report()
    rows = [report[path] for path in report]
    spans = sum(row.count or 0 for row in rows)  # each is rounded to a nanosecond
    assert sum(row.self_ns for row in rows) <= report.wall_ns + spans
    assert report["step"].count == 5
    assert report["step"].total_ns < 1.01 * until_the_interrupt
    assert "loading" not in report
    assert not any("order" in warning for warning in report.warnings), report.warnings


def test_the_mark_of_an_epoch_is_outside_of_every_span(recorded):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with recorded() as result:
        with lt.lap("train"):
            for inputs, targets in loader(2):
                batch(model, optimizer, inputs, targets)
    marks = json.loads(result.report.to_json())["marks"]
    assert [(mark["path"], mark["count"]) for mark in marks] == [("epoch", 1)]


FUNCTIONS = """
import sys, torch
import laptime as lt
for _ in range(3):
    torch.nn.functional.conv2d(torch.ones(1, 3, 8, 8), torch.ones(2, 3, 3, 3))
if len(sys.argv) > 1:
    with lt.lap("mine"):
        pass
"""


@pytest.mark.parametrize("has_lap", [False, True])
def test_operators_without_a_module_are_told_with_what_to_do(has_lap, tmp_path):
    script = tmp_path / "functions.py"
    script.write_text(FUNCTIONS)
    command = [sys.executable, "-m", "laptime", "run", "--", str(script), *["lap"] * has_lap]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    said = " ".join(done.stderr.split())
    assert ("no PyTorch module and no optimizer was called, so there are no phases" in said) == (
        not has_lap
    )
    assert ('put lt.lap("name") around the parts that matter' in said) == (not has_lap)


def test_a_forked_child_that_does_nothing_tells_nothing(tmp_path):
    script, recording = tmp_path / "forks.py", tmp_path / "run.lap"
    script.write_text(
        "import os, sys, torch\nif os.fork() == 0:\n    sys.exit()\nassert os.wait()[1] == 0\n"
    )
    command = [sys.executable, "-m", "laptime", "run", "-o", str(recording), "--", str(script)]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    summary = json.loads(lt.open(recording).report().to_json())
    assert len(summary["processes"]) == 1
    assert any("no PyTorch module" in warning["message"] for warning in summary["warnings"])


def test_every_epoch_is_told_with_its_steps_its_evaluation_and_its_metrics(recorded):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with recorded() as result:
        for epoch in range(3):
            for inputs, targets in loader(4):
                batch(model, optimizer, inputs, targets)
            with torch.no_grad():
                for inputs, _ in loader(2):
                    model(inputs)
            lt.metric("accuracy", epoch / 10)
    epochs = json.loads(result.report.to_json())["epochs"]
    assert [epoch["step_count"] for epoch in epochs] == [4, 4, 4]
    assert [epoch["metrics"] for epoch in epochs] == [{"accuracy": i / 10} for i in range(3)]
    evaluation_ns = sum(epoch["evaluation_ns"] for epoch in epochs)
    assert evaluation_ns == pytest.approx(result.report["evaluation"].total_ns, abs=10)
    for epoch, following in itertools.pairwise(epochs):
        assert epoch["at_ns"] + epoch["duration_ns"] == following["at_ns"]
    shown = str(result.report)
    assert "3 epochs in" in shown
    assert "epoch 3 |" in shown
    assert "marked" not in shown


def test_a_method_that_calls_the_layers_is_one_evaluation_and_a_loop_is_many(recorded):
    class Coder(nn.Module):
        def __init__(self):
            super().__init__()
            self.widen, self.narrow = nn.Linear(4, 64), nn.Linear(64, 4)

        def decode(self, z):
            return self.narrow(torch.relu(self.widen(z)))

    model = Coder().eval()
    with recorded() as result, torch.no_grad():
        for _ in range(6):
            model.decode(torch.ones(2, 4))
    assert result.counts() == {"evaluation": 6, "evaluation/forward": 6}


def test_a_forward_that_is_no_module_call_is_inferred_and_said_to_be(recorded):
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    with recorded() as result:
        for inputs, targets in loader(5):
            optimizer.zero_grad()
            hidden = nn.functional.linear(inputs, model[0].weight).relu()
            outputs = nn.functional.linear(hidden, model[2].weight)
            nn.functional.cross_entropy(outputs, targets).backward()
            optimizer.step()
    assert result.counts() == each(5)
    assert any("where no module was called" in warning for warning in result.report.warnings)
