"""An unedited training has the memory of its phases on a device."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import laptime as lt

TRAINING = """
import torch
from fake_allocator import Allocators
from laptime import _device_memory

allocators = Allocators()
# What a PyTorch for CUDA has, once a program used it; the real one was found already.
_device_memory.stop()
_device_memory._StandIns._known = None
torch._C._cuda_memoryStats = allocators.stats
torch._C._cuda_resetPeakMemoryStats = allocators.reset
torch._C._cuda_getDevice = lambda: 0
torch._C._cuda_getDeviceCount = lambda: 1
torch.cuda._initialized = True
torch.cuda.current_device = lambda: 0
torch.cuda.get_device_name = lambda device=None: "Fake"
_device_memory.start(usual="fold")


class Kept(torch.autograd.Function):
    # 100 bytes for the backward, with 40 more while it computes; the backward frees them.

    @staticmethod
    def forward(ctx, x):
        allocators.allocate(140)
        allocators.free(40)
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        allocators.allocate(30)
        allocators.free(130)
        return gradient


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)

    def forward(self, x):
        return Kept.apply(self.inner(x))


class Optimizer(torch.optim.SGD):
    def step(self, closure=None):
        allocators.allocate(7)
        allocators.free(7)
        return super().step(closure)


model = Model()
optimizer = Optimizer(model.parameters(), lr=0.01)
for _ in range(20):
    optimizer.zero_grad()
    loss = model(torch.ones(2, 4)).sum()
    loss.backward()
    optimizer.step()
"""


def test_steps_and_their_phases_have_net_and_peak(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    script, path = tmp_path / "train.py", tmp_path / "train.lap"
    script.write_text(TRAINING)
    done = subprocess.run(
        [sys.executable, "-m", "laptime", "run", "--memory", "-o", str(path), str(script)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parent), "LAPTIME_DEVICE": "off"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    rows = lt.open(str(path)).report()
    for name, net, peak in (
        ("step", 0, 140),
        ("step/forward", 100, 140),
        ("step/backward", -100, 30),
        ("step/optimizer", 0, 7),
    ):
        row = rows[name]
        told = (row.device_memory_net_max_bytes, row.device_memory_peak_max_bytes)
        assert told == (net, peak), name
    assert rows["step/forward"].device_memory_reserved_bytes == 192
