"""A library is no part of the program, wherever it was installed or built."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

# What torch made for a call, which a second count of another call asks for again.
COUNTS_TWICE = """
import sys

import torch
import laptime as lt

assert torch.__file__.startswith({folder!r}), torch.__file__

class Trainer:
    def __init__(self, optimizer):
        self.layer = torch.nn.Linear(4, 5)
        self.optimizer = optimizer(self.layer.parameters(), lr=0.1)

    def step(self, x):
        self.optimizer.zero_grad()
        self.layer(x).sum().backward()
        self.optimizer.step()
        sys.made |= known()

def known():
    packets = [it for it in vars(torch.ops.aten).values() if hasattr(it, "overloads")]
    return {{str(one) for it in packets for one in vars(it).values()
            if isinstance(one, torch._ops.OpOverload)}}

# Of the program's own nothing is left of a count.
sys.made = set()
x = torch.randn(3, 4)
for optimizer in (torch.optim.AdamW, torch.optim.SGD):
    lt.count(Trainer(optimizer).step, x)
print(bool(sys.made), sorted(sys.made - known()))
"""


def test_what_torch_keeps_stays_where_torch_lies_outside_of_the_environment(tmp_path: Path) -> None:
    (tmp_path / "torch").symlink_to(Path(torch.__file__).parent)
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    ran = subprocess.run(
        [sys.executable, "-c", COUNTS_TWICE.format(folder=str(tmp_path))],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (ran.stdout, ran.returncode) == ("True []\n", 0), ran.stderr
