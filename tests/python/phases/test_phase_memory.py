"""Memory of the automatic phases, beside laps around the same work.

PyTorch is started for it, as PYTHONMALLOC is read at the start.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import laptime as lt

PHASES = ("data", "forward", "backward", "optimizer")
SLACK_BYTES = 64 * 1024

# The same training in two ways: with a lap around each part, and alone, for the automatic phases.
# Old values are deleted outside of all laps, no garbage of earlier work is collected in one, and
# small objects come from malloc: an arena of a megabyte falls to whichever lap needs it first.
PROGRAM = """
import contextlib, gc
import torch
import laptime as lt

torch.set_num_threads(1)
inputs = torch.utils.data.TensorDataset(torch.randn(2_000, 1_000))
loader = torch.utils.data.DataLoader(inputs, batch_size=500)
gc.collect()
gc.disable()

def train(lap):
    network = torch.nn.Linear(1_000, 1_000)
    adam = torch.optim.Adam(network.parameters())
    batches = iter(loader)
    for step in range(4):
        with lap(f"data {step}"):
            batch = next(batches)
        with lap(f"zero_grad {step}"):
            adam.zero_grad()
        with lap(f"forward {step}"):
            output = network(batch[0])
        loss = output.square().mean()
        with lap(f"backward {step}"):
            loss.backward()
        with lap(f"optimizer {step}"):
            adam.step()
        del batch, output, loss

train(lambda name: contextlib.nullcontext())  # what is imported and made once is no step's
with lt.record("hand.lap", memory=True):
    train(lt.lap)
with lt.record("auto.lap", memory=True, phases=True):
    train(lambda name: contextlib.nullcontext())
"""


def by_hand(path: Path) -> dict[str, list[tuple[int, int]]]:
    """Net and peak of each lap; those of ``zero_grad`` join what follows: one optimizer span."""
    report = lt.open(path).report()

    def memory(name: str) -> list[tuple[int, int]]:
        rows = [report[f"{name} {step}"] for step in range(4)]
        return [(row.host_memory_net_max_bytes, row.host_memory_peak_max_bytes) for row in rows]

    truth = {phase: memory(phase) for phase in PHASES}
    truth["optimizer"] = [
        (zeroed + net, max(first, zeroed + peak))
        for (zeroed, first), (net, peak) in zip(
            memory("zero_grad"), truth["optimizer"], strict=True
        )
    ]
    return truth


def test_phases_of_a_training_with_adam_have_the_memory_that_laps_by_hand_have(tmp_path):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LAPTIME")}
    environment["PYTHONMALLOC"] = "malloc"
    command = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=500
    )
    assert done.returncode == 0, done.stderr
    truth = by_hand(tmp_path / "hand.lap")
    report = lt.open(tmp_path / "auto.lap").report()
    for phase in PHASES:
        row = report[f"step/{phase}"]
        assert row.count == 4
        nets, peaks = zip(*truth[phase], strict=True)
        found = (
            row.host_memory_net_min_bytes,
            row.host_memory_net_max_bytes,
            row.host_memory_peak_min_bytes,
            row.host_memory_peak_max_bytes,
        )
        wanted = (min(nets), max(nets), min(peaks), max(peaks))
        for number, true in zip(found, wanted, strict=True):
            assert abs(number - true) <= max(SLACK_BYTES, 0.01 * abs(true)), (phase, found, wanted)
    # Adam's two moments of 4 MB, less nothing: the gradients were freed by the next step.
    assert max(net for net, _ in truth["optimizer"]) > 7_500_000
    warnings = json.loads(report.to_json())["warnings"]
    assert "memory-partial" not in {warning["code"] for warning in warnings}
    whole = report["step"]
    inside = [report[f"step/{phase}"].host_memory_peak_max_bytes for phase in PHASES]
    assert whole.host_memory_peak_max_bytes >= max(inside)
