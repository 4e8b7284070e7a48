"""Ranks that torchrun starts below `laptime run`: one recording, and who holds the others up.

Three interpreters import PyTorch, which takes nine seconds: the start is what is tested.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import laptime as lt

SLOW_RANK = """
import time
import torch
import torch.distributed as distributed
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(16, 1)

    def forward(self, x):
        if distributed.get_rank() == 1:
            time.sleep(0.02)
        return self.inner(x)

distributed.init_process_group("gloo")
torch.set_num_threads(1)
model = nn.parallel.DistributedDataParallel(Net())
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for x in torch.utils.data.DataLoader(torch.ones(30 * 4, 16), batch_size=4):
    optimizer.zero_grad()
    model(x).sum().backward()
    optimizer.step()
distributed.destroy_process_group()
"""


def test_the_rank_that_holds_the_others_up_is_named(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(SLOW_RANK)
    launch = ["-m", "torch.distributed.run", "--nproc-per-node", "2", "train.py"]
    command = [sys.executable, "-m", "laptime", "run", "-o", "run.lap", *launch]
    ended = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert ended.returncode == 0, ended.stderr
    assert "2 processes took steps" in ended.stderr
    assert "Rank 1 (process" in ended.stderr
    recording = lt.open(tmp_path / "run.lap")
    summary: dict[str, Any] = json.loads(recording.report().to_json())
    assert next(row["count"] for row in summary["rows"] if row["path"] == "step") == 60
    assert sorted(rank["rank"] for rank in summary["ranks"]) == ["0", "1"]
    slow = next(one["text"] for one in summary["findings"] if one["kind"] == "ranks")
    assert slow.startswith("Rank 1 "), slow
    assert "holds the others up: its forward takes" in slow, slow
