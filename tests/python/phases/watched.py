"""Real torch under the wrappers, writing into the scripted core with a clock that runs."""

from __future__ import annotations

import time
from contextlib import contextmanager

import torch
from scripted import ScriptedCore
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

from laptime.integrations._patches import Patches


class RunningCore(ScriptedCore):
    """Spans as in the scripted core; its clock is CPU time, which other programs leave alone."""

    @property
    def clock(self):
        return time.process_time_ns()

    @clock.setter
    def clock(self, _):
        pass

    def ticks_to_ns(self, ticks):
        return ticks


@contextmanager
def watched(*, modules: bool = False):
    """Phases are on inside; the core tells afterwards what was recorded."""
    core = RunningCore()
    patches = Patches(torch, core, modules=modules, scripted=core)
    patches.apply()
    try:
        yield core
    finally:
        patches.remove()
    assert not core.stack, "a span was left open"


def network(width: int = 8) -> nn.Sequential:
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(4, width), nn.ReLU(inplace=True), nn.Linear(width, 3))


def loader(batches: int, *, batch_size: int = 2, **options) -> DataLoader:
    generator = torch.Generator().manual_seed(1)
    count = batches * batch_size
    inputs = torch.randn(count, 4, generator=generator)
    targets = torch.randint(3, (count,), generator=generator)
    return DataLoader(TensorDataset(inputs, targets), batch_size=batch_size, **options)


def children(core, parent):
    """Time of a path's direct children."""
    depth = parent.count("/") + 1
    return sum(
        s.duration
        for s in core.spans
        if s.path.startswith(parent + "/") and s.path.count("/") == depth
    )
