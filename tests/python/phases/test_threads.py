"""Several threads train at the same time: each has steps of its own."""

from __future__ import annotations

import threading
from pathlib import Path

import torch
from torch import nn

import laptime as lt

STEPS = 30
THREADS = 4


def train(start: threading.Barrier) -> None:
    model = nn.Linear(100, 100)
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    inputs = torch.ones(32, 100)
    start.wait()
    for _ in range(STEPS):
        model(inputs).sum().backward()
        optimizer.step()
        optimizer.zero_grad()


def test_threads_that_train_side_by_side_are_all_told(tmp_path: Path) -> None:
    with lt.record(tmp_path / "r.lap", phases=True) as recording:
        start = threading.Barrier(THREADS)
        threads = [threading.Thread(target=train, args=(start,)) for _ in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    report = lt.open(recording.path).report()
    # Who is inside a phase while another thread begins has its first step told from its update on.
    for phase in ("forward", "backward"):
        count = report[f"step/{phase}"].count
        assert THREADS * (STEPS - 1) <= (count or 0) <= THREADS * STEPS, phase
