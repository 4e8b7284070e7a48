"""An unedited training under `laptime run`, with its phases' memory by the allocator's history."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import laptime as lt

MIB = 1 << 20

TRAINING = """
import torch
import fake_history
from laptime import _device_memory

MIB = 1 << 20
allocators = fake_history.HistoryAllocators()
allocators.free(allocators.allocate(300 * MIB))
# What a PyTorch for CUDA has, once a program used it; the real one was found already.
_device_memory.stop()
_device_memory._StandIns._known = None
fake_history.give_history(torch, allocators)
torch._C._cuda_memoryStats = allocators.stats
torch._C._cuda_resetPeakMemoryStats = allocators.reset
torch._C._cuda_getDevice = lambda: 0
torch._C._cuda_getDeviceCount = lambda: 1
torch.cuda._initialized = True
torch.cuda.current_device = lambda: 0
torch.cuda.get_device_name = lambda device=None: "Fake"
_device_memory.start(usual="fold")


class Kept(torch.autograd.Function):
    # 100 MiB for the backward, with 40 more while it computes; the backward frees them.

    @staticmethod
    def forward(ctx, x):
        ctx.kept = allocators.allocate(100 * MIB)
        allocators.free(allocators.allocate(40 * MIB))
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        allocators.free(allocators.allocate(30 * MIB))
        allocators.free(ctx.kept)
        return gradient


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)

    def forward(self, x):
        return Kept.apply(self.inner(x))


model = Model()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(20):
    optimizer.zero_grad()
    loss = model(torch.ones(2, 4)).sum()
    loss.backward()
    optimizer.step()
print(allocators.resets, torch.cuda.max_memory_allocated(0) // MIB)
"""


def test_phases_are_exact_with_nothing_reset(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    script, path = tmp_path / "train.py", tmp_path / "train.lap"
    script.write_text(TRAINING)
    done = subprocess.run(
        [sys.executable, "-m", "laptime", "run", "--memory", "-o", str(path), str(script)],
        env={
            **os.environ,
            "PYTHONPATH": str(Path(__file__).parent),
            "LAPTIME_DEVICE": "off",
            "LAPTIME_DEVICE_MEMORY": "history",
        },
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["0", "300"], "the program's own peak is the allocator's"
    rows = lt.open(str(path)).report()
    for name, net, peak in (
        ("step", 0, 140),
        ("step/forward", 100, 140),
        ("step/backward", -100, 30),
        ("step/optimizer", 0, 0),
    ):
        row = rows[name]
        assert row.device_memory_net_max_bytes == net * MIB, name
        assert row.device_memory_peak_max_bytes == peak * MIB, name
        assert not any("bounds" in warning for warning in row.warnings), name
