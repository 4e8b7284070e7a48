"""A training in a notebook's cells is told as the same training in a script is."""

from __future__ import annotations

import json
import subprocess

import pytest
from notebooks import outputs_of

import laptime as lt

CELLS = (
    """
import torch
from torch import nn
import laptime as lt

recording = lt.record("run.lap", phases=True)
torch.manual_seed(0)
model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
data = torch.utils.data.TensorDataset(torch.randn(40, 8), torch.randint(3, (40,)))
""",
    """
for epoch in range(2):
    for inputs, targets in torch.utils.data.DataLoader(data, batch_size=4):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(inputs), targets).backward()
        optimizer.step()
""",
    """
with torch.no_grad():
    for inputs, _ in torch.utils.data.DataLoader(data, batch_size=4):
        model(inputs)
""",
    "recording.stop()\n",
)


def summary_of(folder):
    return json.loads(lt.open(folder / "run.lap").report().to_json())


def counts(summary):
    return {row["path"]: row["count"] for row in summary["rows"] if row["kind"] == "span"}


@pytest.fixture(scope="module")
def told(tmp_path_factory, warm):
    """What is told of the script, and of the notebook."""
    script, notebook = tmp_path_factory.mktemp("script"), tmp_path_factory.mktemp("notebook")
    (script / "train.py").write_text("".join(CELLS))
    subprocess.run([warm.python, "train.py"], cwd=script, check=True)
    outputs_of(CELLS, notebook, warm.python)
    return summary_of(script), summary_of(notebook)


def test_both_have_the_same_rows_and_epochs(told):
    script, notebook = told
    assert counts(notebook) == counts(script)
    assert counts(notebook)["step"] == 20
    assert [epoch["step_count"] for epoch in notebook["epochs"]] == [10, 10]
    assert [epoch["step_count"] for epoch in script["epochs"]] == [10, 10]


def test_the_notebook_is_measured_where_its_cells_run(told):
    _, notebook = told
    assert notebook["steady"]["step_path"] == "step"
    outermost = [row for row in notebook["rows"] if len(row["names"]) == 1]
    assert sum(row["share_ratio"] for row in outermost) == pytest.approx(1, abs=1e-6)
    assert [row["path"] for row in outermost if row["kind"] == "leftover"] == [
        "startup",
        "other",
        "exit",
    ]
