"""No time is counted twice: over whole programs, recorded to disk and read back.

Self times of all paths share the wall time out between them, and what lies directly inside a span
never takes longer than the span.
"""

from __future__ import annotations

from itertools import product

import pytest
import torch
from torch import nn
from watched import loader, network

import laptime as lt


def adds_up(report):
    """Checks the sums of a report of one thread."""
    rows = {path: report[path] for path in report}
    own = sum(row.self_ns or 0 for row in rows.values())
    spans = sum(row.count or 0 for row in rows.values())  # each is rounded to a nanosecond
    assert own <= report.wall_ns + spans, (own, report.wall_ns)
    for path, row in rows.items():
        inside = [other.total_ns for name, other in rows.items() if name.rpartition("/")[0] == path]
        assert sum(inside) <= row.total_ns + spans, path
    assert not any("order" in warning for warning in report.warnings), report.warnings
    return rows


def loss_of(model, inputs, targets):
    return nn.CrossEntropyLoss()(model(inputs), targets)


def plain(call=lambda model: model):
    model = network()
    called = call(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for inputs, targets in loader(6):
        optimizer.zero_grad()
        loss_of(called, inputs, targets).backward()
        optimizer.step()


def compiled():
    torch._dynamo.reset()
    plain(lambda model: torch.compile(model, backend="aot_eager"))


def distilled():
    class Teacher(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = network(32)

        def forward(self, value):
            return self.inner(value)

    teacher, student = Teacher().eval(), network()
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    batches, held_out = loader(6), loader(3)
    for _ in range(2):
        for inputs, _ in batches:
            with torch.no_grad():
                wanted = teacher(inputs).softmax(-1)
            loss = nn.functional.cross_entropy(student(inputs), wanted)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.inference_mode():
            for inputs, _ in held_out:
                student(inputs)


def closures():
    model = network()
    optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)
    for inputs, targets in loader(4):

        def closure(inputs=inputs, targets=targets):
            optimizer.zero_grad()
            loss = loss_of(model, inputs, targets)
            loss.backward()
            return loss

        optimizer.step(closure)


def accumulated():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index, (inputs, targets) in enumerate(loader(8)):
        loss_of(model, inputs, targets).backward()
        if index % 4 == 3:
            optimizer.step()
            optimizer.zero_grad()


def retried():
    model = network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for index, (inputs, targets) in enumerate(loader(6)):
        optimizer.zero_grad()
        if index % 2:
            with pytest.raises(RuntimeError):
                model(inputs[:, :2])
        loss_of(model, inputs, targets).backward()
        optimizer.step()


PROGRAMS = [plain, compiled, distilled, closures, accumulated, retried]


@pytest.mark.parametrize(("program", "modules"), list(product(PROGRAMS, [False, True])))
def test_no_time_is_counted_twice(program, modules, tmp_path):
    from laptime.integrations.torch import phases

    with lt.record(tmp_path / "run.lap") as recording, phases(modules=modules):
        program()
    rows = adds_up(lt.open(recording.path).report())
    if program is distilled:
        assert rows["step"].count == rows["step/backward"].count == 12
        assert rows["evaluation"].count == 6
        if modules:
            calls = [rows[f"{unit}/forward/Teacher"].count for unit in ("step", "evaluation")]
            assert calls == [11, 1]
    elif program is compiled:
        graph = "/Sequential/inside compiled graph" if modules else ""
        for phase in ("forward", "backward"):
            assert rows[f"step/{phase}{graph}/compile"].count == 1
    elif program is closures:
        forward, backward = (rows[f"step/{phase}"] for phase in ("forward", "backward"))
        assert forward.count == backward.count > rows["step"].count == 4
