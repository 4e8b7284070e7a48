"""Under `--ops`, a model that changes between its calls is counted as what it is then."""

from __future__ import annotations

import json
import os
import subprocess
import textwrap

import pytest

pytest.importorskip("torch")

import laptime as lt

#: Notes of each call what Laptime did, and by PyTorch's own counter what it computed.
START = """
import gc, json, random, sys, weakref
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode
torch.manual_seed(0)
torch.set_num_threads(1)
TARGET = sys.argv[1] if len(sys.argv) > 1 else ""
done = set()
if TARGET:
    import laptime as lt
    from laptime.integrations import _counting
    count, leave_out = _counting.Counting._count, _counting.Counting._leave_out
    def counts(self, key, stretch):
        done.add("counted")
        return count(self, key, stretch)
    def leaves_out(self, stretch):
        done.add("left out")
        return leave_out(self, stretch)
    _counting.Counting._count, _counting.Counting._leave_out = counts, leaves_out
    recording = lt.record(TARGET, ops=True)
said = []
def call(function, *args):
    done.clear()
    if TARGET:
        made = function(*args)
        said.append(sorted(done))
    else:
        with FlopCounterMode(display=False) as counter:
            made = function(*args)
        said.append(counter.get_total_flops())
    return made
def train(model, optimizer, x):
    for parameter in model.parameters():
        parameter.grad = None
    call(call(model, x).sum().backward)
    optimizer.step()
def sgd(model):
    return torch.optim.SGD([one for one in model.parameters() if one.requires_grad], lr=0.1)
class Twice(nn.Linear):
    def forward(self, x):
        return super().forward(super().forward(x))
class Net(nn.Module):
    def __init__(self, layers):
        super().__init__()
        self.layers = nn.ModuleList(layers)
        self.k = 1
    def forward(self, x):
        for _ in range(self.k):
            for layer in self.layers:
                x = layer(x)
        return x
"""
END = """
if TARGET:
    recording.stop()
print(json.dumps(said))
"""


@pytest.fixture
def said(tmp_path, warm):
    """Runs a program, under Laptime where a recording is named, and gives what it printed."""

    def said(program: str, *args: str) -> list:
        done = subprocess.run(
            [warm.python, "-c", START + textwrap.dedent(program) + END, *args],
            check=False,
            timeout=300,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
            text=True,
            capture_output=True,
        )
        assert done.returncode == 0, done.stderr
        assert "laptime" not in done.stderr, done.stderr
        return json.loads(done.stdout)

    return said


@pytest.fixture
def run(tmp_path, said):
    """Runs a program with and without Laptime: the report, and the FLOP that it should have."""

    def run(program: str) -> tuple[lt.Report, int, int]:
        target = str(tmp_path / "run.lap")
        events, flop = said(program, target), said(program)
        forward = backward = 0
        steps = zip(events[::2], events[1::2], flop[::2], flop[1::2], strict=True)
        for in_forward, in_backward, forward_flop, backward_flop in steps:
            # The rest of a step that was counted is in a row of its own, like it.
            forward += forward_flop * (not in_forward)
            backward += backward_flop * ("counted" not in in_forward and not in_backward)
        return lt.open(target).report(), forward, backward

    return run


def check(run, program):
    report, forward, backward = run(program)
    assert forward > 0
    assert report["step/forward"].flop == forward
    assert report["step/backward"].flop == backward
    return report


def test_layers_that_are_appended_are_counted(run):
    report = check(
        run,
        """
        net, x = Net([nn.Linear(64, 64)]), torch.ones(8, 64)
        for _ in range(4):
            optimizer = sgd(net)
            for _ in range(10):
                train(net, optimizer, x)
            net.layers.append(nn.Linear(64, 64))
        """,
    )
    assert report["step/forward"].flop == 9 * (1 + 2 + 3 + 4) * 2 * 8 * 64 * 64
    assert report["step/forward"].operations_coverage_ratio == 1


CHANGES = {
    "frozen layer": "net.layers[0] = nn.Linear(8, 8).requires_grad_(False)",
    "wider head": "net.layers[-1] = nn.Linear(8, 100)",
    "layers cut off": "net.layers = net.layers[:1]",
    "weights resized in place": "net.layers[-1].weight.data = torch.ones(99, 8); "
    "net.layers[-1].bias.data = torch.ones(99)",
    "same sizes, another class": "net.layers[0] = Twice(8, 8)",
    "shared": "net.layers[1].weight = net.layers[0].weight",
    "another module inside": "net.layers[0] = nn.Sequential(net.layers[0], nn.Linear(8, 8))",
}


@pytest.mark.parametrize("change", CHANGES)
def test_a_change_is_seen_at_the_next_call(run, change):
    report = check(
        run,
        f"""
        net, x = Net([nn.Linear(8, 8) for _ in range(3)]), torch.ones(4, 8)
        for _ in range(2):
            optimizer = sgd(net)
            for _ in range(3):
                train(net, optimizer, x)
            {CHANGES[change]}
        """,
    )
    assert report["step/forward"].operations_coverage_ratio == 1


def test_a_loop_of_another_length_is_never_taken_for_the_one_that_was_counted(run):
    report = check(
        run,
        """
        net, x = Net([nn.Linear(8, 8)]), torch.ones(4, 8)
        optimizer = sgd(net)
        for net.k in (1, 2, 3, 1, 2, 3):
            for _ in range(4):
                train(net, optimizer, x)
        """,
    )
    assert 0 < report["step/forward"].operations_coverage_ratio < 1
    assert "2 forwards of Net called other modules" in str(report)


def test_layers_that_are_left_out_by_chance_are_told_where_they_are_not_counted(run):
    report, _, _ = run(
        """
        class Dropping(Net):
            def forward(self, x):
                for layer in self.layers:
                    if random.random() < 0.5:
                        x = layer(x)
                return x + self.last(x)
        random.seed(0)
        net, x = Dropping([nn.Linear(8, 8) for _ in range(6)]), torch.ones(4, 8)
        net.last = nn.Linear(8, 8)
        optimizer = sgd(net)
        for _ in range(40):
            train(net, optimizer, x)
        """
    )
    assert report["step/forward"].operations_coverage_ratio < 1
    assert "forwards of Dropping called other modules" in str(report)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_done_to_a_model_its_flop_are_those_of_a_fresh_count(run, seed):
    check(
        run,
        f"""
        chance = random.Random({seed})
        net, x = Net([nn.Linear(8, 8) for _ in range(3)]), torch.ones(4, 8)
        def at(): return chance.randrange(len(net.layers))
        def append(): net.layers.append(nn.Linear(8, 8))
        def delete(): del net.layers[at()]
        def replace(): net.layers[at()] = nn.Linear(8, 8)
        def other(): net.layers[at()] = nn.Sequential(nn.Linear(8, 5), nn.Tanh(), nn.Linear(5, 8))
        def freeze(): net.layers[at()].requires_grad_(False)
        def thaw(): net.requires_grad_(True)
        def share(): net.layers[at()] = net.layers[at()]
        def loop(): net.k = chance.choice([1, 2, 3])
        def mode(): net.layers[at()].train(chance.random() < 0.5)
        def resize():
            last = nn.Sequential(nn.Linear(8, chance.choice([3, 9])), nn.Linear(1, 1))
            last[1] = nn.Linear(last[0].out_features, 8)
            net.layers[at()] = last
        edits = [append, delete, replace, other, freeze, thaw, share, loop, mode, resize]
        for _ in range(14):
            for _ in range(chance.choice([1, 2])):
                chance.choice(edits)()
            while len(net.layers) < 2:
                append()
            net.layers[0].requires_grad_(True)
            optimizer = sgd(net)
            for _ in range(4):
                train(net, optimizer, x)
            gc.collect()
        """,
    )


def test_modules_made_anew_in_every_forward_are_counted_once(run):
    report = check(
        run,
        """
        class Making(nn.Module):
            def __init__(self):
                super().__init__()
                self.layer = nn.Linear(8, 8)
            def forward(self, x):
                return nn.Linear(8, 8)(nn.ReLU()(self.layer(x)))
        net, x = Making(), torch.ones(4, 8)
        optimizer = sgd(net)
        for _ in range(6):
            train(net, optimizer, x)
        """,
    )
    assert report["step/forward"].count == 5
    assert report["step/forward"].operations_coverage_ratio == 1


def test_a_model_of_transformers_in_evaluation_is_known_after_its_first_call(run):
    report, _, _ = run(
        """
        layer = nn.TransformerEncoderLayer(16, 2, 24, batch_first=True)
        net = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False).eval()
        with torch.no_grad():
            for _ in range(6):
                call(net, torch.ones(2, 5, 16))
        """
    )
    assert "called other modules" not in str(report)


def test_no_weight_lives_longer_than_its_model(tmp_path, said):
    program = """
    alive = []
    for width in range(4, 10):
        model = nn.Linear(width, 4)
        optimizer = sgd(model)
        model(torch.ones(2, width)).sum().backward()
        optimizer.step()
        alive.append(weakref.ref(model.weight))
        model.weight = nn.Parameter(torch.zeros(4, width))
        for _ in range(3):
            model(torch.ones(2, width))
        alive.append(weakref.ref(model.weight))
        del model, optimizer
    gc.collect()
    said = [one() is None for one in alive]
    """
    assert said(program, str(tmp_path / "run.lap")) == [True] * 12
