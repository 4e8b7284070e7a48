"""Under `--ops`, shapes that go on changing: some are counted, and tell what the others do."""

from __future__ import annotations

import json
import os
import subprocess
import textwrap

import pytest

pytest.importorskip("torch")

import laptime as lt

#: Before the model: what is counted is noted, for the program to say.
START = """
import json, random, sys
import laptime as lt
import torch
from torch import nn
torch.manual_seed(0)
torch.set_num_threads(1)
random.seed(0)
from laptime.integrations import _counting
counted = set()
count = _counting.Counting._count
def spy(self, key, segment):
    counted.add(key[1][0])
    return count(self, key, segment)
_counting.Counting._count = spy
said = []
"""

TRANSFORMER = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(100, 16)
        self.layer = nn.TransformerEncoderLayer(16, 2, 24, batch_first=True)
        self.out = nn.Linear(16, 3)
    def forward(self, ids, mask=None, labels=None):
        x = self.layer(self.table(ids), src_key_padding_mask=mask)
        return nn.functional.cross_entropy(self.out(x).flatten(0, 1), labels.flatten())
net = Net()
optimizer = torch.optim.AdamW(net.parameters(), lr=1e-3)
def step(batch, length):
    counted.clear()
    ids = torch.arange(batch * length).reshape(batch, length) % 97
    loss = net(ids, mask=torch.zeros(batch, length, dtype=torch.bool), labels=ids % 3)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    said.append([batch, length, sorted(counted), float(loss)])
step(2, 5); step(2, 5)
"""

FIELDS = ("mac", "flop", "total_flop", "executed_flop", "bytes_moved")


@pytest.fixture
def run(tmp_path, warm):
    """Runs a program whose operations are counted: its report, and what each step said."""

    def run(program: str, ops: bool = True, **options: object) -> tuple[lt.Report, list]:
        target = str(tmp_path / f"run{len(list(tmp_path.iterdir()))}.lap")
        given = {"ops": ops, **options}
        script = f"{START}recording = lt.record({target!r}, **{given!r})\n"
        script += textwrap.dedent(program) + "\nrecording.stop()\nprint(json.dumps(said))\n"
        done = subprocess.run(
            [warm.python, "-c", script],
            check=True,
            timeout=500,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
            text=True,
            capture_output=True,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return lt.open(target).report(), json.loads(done.stdout)

    return run


def exact(run, model: str, shapes: set, **options: object) -> dict:
    """What each shape does by row and field, every one of them counted by itself."""
    program = "_counting.Counting._is_told = lambda *given: False\n" + model
    program += f"""
for shape in {sorted(shapes)!r}:
    with lt.lap(str(shape)):
        step(*shape)
        step(*shape)
"""
    report, _ = run(program, **options)
    found: dict = {}
    for row in json.loads(report.to_json())["rows"]:
        shape, _, path = row["path"].partition("/")
        if shape.startswith("(") and path.startswith("step"):
            found[shape, path] = row
    return found


def test_lengths_that_go_on_changing_are_told_to_the_last_integer(run):
    model = TRANSFORMER
    program = model + "for i in range(160): step(2 if i % 40 == 39 else 3, random.randint(6, 90))"
    report, said = run(program, modules=True)
    steps = [(str((batch, length)), set(counted)) for batch, length, counted, _ in said]
    shapes = {(batch, length) for batch, length, *_ in said}
    assert len(shapes) > 70
    assert sum(bool(counted) for _, counted in steps) <= 40
    assert report["step"].operations_coverage_ratio == 1.0

    known = exact(run, model, shapes, modules=True)
    for path, set_aside in {
        "step/forward": {"forward"},
        "step/forward/Net/layer/self_attn": {"forward"},
        "step/forward/Net/table": {"forward"},
        "step/backward": {"forward", "backward"},
    }.items():
        told = [known[shape, path] for shape, counted in steps if not counted & set_aside]
        assert len(told) > 100
        for field in FIELDS:
            assert getattr(report[path], field) == sum(row[field] for row in told), (path, field)


def test_what_a_program_computes_is_the_same_while_shapes_are_told(run):
    program = TRANSFORMER + "for i in range(60): step(2, random.randint(6, 40))"
    losses = [[loss for *_, loss in run(program, ops=ops)[1]] for ops in (True, False)]
    assert losses[0] == losses[1]


LOOPING = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inside = nn.Linear(4, 4)
    def forward(self, x):
        for _ in range(times(len(x))):
            x = self.inside(x)
        return x.sum()
net = Net().eval()
lengths = list(range(10, 130))
random.shuffle(lengths)
with torch.no_grad():
    for length in lengths:
        counted.clear()
        net(torch.ones(length, 4))
        said.append([length, bool(counted)])
"""


def messages(report: lt.Report) -> dict[str, str]:
    return {one["code"]: one["message"] for one in json.loads(report.to_json())["warnings"]}


def test_what_follows_no_formula_is_counted_so_often_and_then_left_out_with_a_word(run):
    program = "def times(length): return (length * 7919 % 101) % 5\n" + LOOPING
    report, said = run(program)
    assert sum(counted for _, counted in said) == 64
    assert report["evaluation/forward"].operations_coverage_ratio == 0.0
    assert report["evaluation/forward"].mac is None
    assert "the forward of Net follow no formula" in messages(report)["operations.left-out"]


def test_a_formula_that_a_count_contradicts_is_taken_back_with_a_word(run):
    # It does otherwise from some call on, which no shape tells.
    program = "def times(length): return 1 + (told() > 2)\n"
    program += "def told(): return sum(not counted for _, counted in said)\n" + LOOPING
    report, said = run(program)
    assert not said[5][1], "a few were told"
    assert report["evaluation/forward"].mac is None
    assert "until a count contradicted it" in messages(report)["operations.contradicted"]


def test_sizes_that_grow_with_every_call_are_told_ahead_of_those_that_are_counted(run):
    program = "def times(length): return 2\n" + LOOPING.replace("random.shuffle(lengths)", "")
    report, said = run(program)
    assert sum(counted for _, counted in said) < 40
    last = max(length for length, counted in said if counted)
    told = [length for length, counted in said if not counted and length < last]
    forward = report["evaluation/forward"]
    assert forward.mac == sum(length * 2 * 16 for length in told)
    # Nobody knows what lies beyond the last that was counted.
    assert forward.operations_coverage_ratio == pytest.approx(len(told) / forward.count)


def test_a_report_says_what_was_told_by_a_formula(run):
    report, said = run("def times(length): return 2\n" + LOOPING)
    told = json.loads(report.to_json())["operations"]["told"]
    counted = sum(counted for _, counted in said)
    assert told == {"count": len(said) - counted, "held_for": counted}
    shown = " ".join(str(report).split())
    assert f"{told['count']} forwards and backwards of further shapes were not counted" in shown


def test_a_child_that_was_forked_knows_nothing_of_its_parent_s_shapes(run):
    program = "import os\ndef times(length): return 2\n" + LOOPING
    program += """
        if length == lengths[60]:
            child = os.fork()
            if child == 0:
                for length in lengths: net(torch.ones(length, 4))
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
"""
    report, _ = run(program)
    assert report["evaluation/forward"].operations_coverage_ratio == 1.0


def test_calls_that_do_what_their_data_say_are_said_to(run):
    program = """
    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.table = nn.Parameter(torch.ones(4, 4))
        def forward(self, x):
            return x[x[:, 0] > {least}] @ self.table
    net = Net().eval()
    with torch.no_grad():
        for _ in range(4):
            net(torch.randn(8, 4))
    """
    report, _ = run(program.replace("{least}", "0"))
    message = messages(report)["operations.data"]
    assert message.startswith("what Net does depends on its data"), message
    plain, _ = run(program.replace("x[x[:, 0] > {least}]", "x[torch.arange(3)]"))
    assert "operations.data" not in messages(plain)
