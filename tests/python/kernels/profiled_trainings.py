"""Programs whose steps are profiled, the two ways to run them, and what their reports have."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import laptime as lt

#: Gives the summary of a program or a training that recorded itself.
Ran = Callable[..., "dict[str, Any]"]

TRAIN = """
import torch
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
data = DataLoader(TensorDataset(torch.randn(64, 16), torch.randint(0, 4, (64,))), batch_size=8)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
{before}
for number, (x, y) in enumerate(data):
    {inside}
    loss = torch.nn.functional.cross_entropy(model(x), y)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
print("done", number, end="")
"""

RECORDED = """
import laptime as lt
recording = lt.record("a.lap", phases=True, kernels={kernels!r})
{program}
recording.stop()
"""


def laptime(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Runs the command."""
    command = [sys.executable, "-m", "laptime", *words]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)


def launched(folder: Path, kernels: str, program: str, printed: str = "") -> dict[str, Any]:
    """The summary of a program that ended well under `laptime run`, which is there before torch."""
    (folder / "train.py").write_text(program)
    ran = laptime("run", "--kernels", kernels, "-o", "a.lap", "train.py", cwd=folder)
    assert (ran.returncode, ran.stdout) == (0, printed), ran.stderr
    return summary_of(folder / "a.lap")


def summary_of(path: Path) -> dict[str, Any]:
    """What a recording's report has."""
    summary: dict[str, Any] = json.loads(lt.open(path).report().to_json())
    return summary


def counts(summary: dict[str, Any]) -> dict[str, int]:
    """How often each path ran."""
    return {row["path"]: row["count"] for row in summary["rows"]}


def laps(summary: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """What was profiled, by lap."""
    return {lap["path"]: lap for lap in summary["operators"]["laps"]}
