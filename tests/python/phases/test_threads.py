"""Trainings off the main thread, several at once, and threads that work for one that trains."""

from __future__ import annotations

import asyncio
import json
import threading

import pytest
import torch
from torch import nn
from watched import adds_up, loader, network, watched

import laptime as lt

STEPS = 20
THREADS = 4


def train(model=None):
    model = model or network()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for inputs, targets in loader(STEPS):
        optimizer.zero_grad()
        nn.CrossEntropyLoss()(model(inputs), targets).backward()
        optimizer.step()


def run(*targets):
    """Runs each on a thread of its own."""
    threads = [threading.Thread(target=target) for target in targets]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def in_a_task():
    async def main():
        train()

    asyncio.run(main())


def in_a_thread():
    run(train)


@pytest.mark.parametrize("where", [in_a_thread, in_a_task])
def test_a_training_off_the_main_thread_is_measured_where_it_runs(tmp_path, where):
    with lt.record(tmp_path / "run.lap", phases=True) as recording:
        where()
    report = lt.open(recording.path).report()
    adds_up(report)
    summary = json.loads(report.to_json())
    rows = {row["path"]: row for row in summary["rows"]}
    assert rows["step"]["count"] == rows["step/backward"]["count"] == STEPS
    assert rows["other"]["total_ns"] < summary["wall_ns"] - rows["step"]["total_ns"] + STEPS
    outermost = [row["share_ratio"] for row in summary["rows"] if len(row["names"]) == 1]
    assert sum(outermost) == pytest.approx(1, abs=1e-6)
    assert "main track" not in json.dumps(summary)
    assert "parallel_ns" not in summary


def test_a_thread_trains_after_another_one_has_called_a_module():
    with watched() as core:
        network()(torch.ones(2, 4))
        run(train)
    assert core.count("step/backward") == STEPS


def test_threads_that_train_side_by_side_are_all_told():
    start = threading.Barrier(THREADS)

    def trains():
        model = nn.Linear(100, 100)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        inputs = torch.ones(32, 100)
        start.wait()
        for _ in range(STEPS):
            model(inputs).sum().backward()
            optimizer.step()
            optimizer.zero_grad()

    with watched() as core:
        run(*[trains] * THREADS)
    # Who is inside a phase while another thread begins has its first step told from its update on.
    for phase in ("forward", "backward"):
        assert THREADS * (STEPS - 1) <= core.count(f"step/{phase}") <= THREADS * STEPS, phase


def test_a_forward_on_another_thread_while_one_trains_belongs_to_that_one():
    class Replicated(nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = network()

        def forward(self, inputs):
            found = []
            for _ in range(2):
                run(lambda: found.append(self.inner(inputs)))
            return sum(found)

    with watched() as core:
        train(Replicated())
    assert core.count("step") == core.count("step/forward") == STEPS
    assert core.paths() == ["step", "step/backward", "step/data", "step/forward", "step/optimizer"]


def test_laps_of_threads_that_overlap_are_said_to(tmp_path):
    both = threading.Barrier(2)

    def worker():
        with lt.lap("work"):
            both.wait()
            both.wait()

    with lt.record(tmp_path / "run.lap") as recording:
        run(worker, worker)
    summary = json.loads(lt.open(recording.path).report().to_json())
    rows = {row["path"]: row for row in summary["rows"]}
    work_ns = rows["work"]["total_ns"]
    assert 0 < summary["parallel_ns"] <= work_ns / 2 + 2
    left_ns = sum(row["total_ns"] for row in summary["rows"] if row["kind"] == "leftover")
    total_ns = work_ns - summary["parallel_ns"] + left_ns
    assert total_ns == pytest.approx(summary["wall_ns"], abs=20)
