"""Two steps under `emit_nvtx()`: operators are ranges by PyTorch, laps by Laptime."""

import os

import torch

import laptime as lt

device = os.environ.get("EXPERIMENT_DEVICE", "cuda")
x = torch.randn(16, 16, device=device, requires_grad=True)
with torch.autograd.profiler.emit_nvtx():
    for _ in range(2):
        with lt.lap("step"):
            with lt.lap("forward"):
                y = (x @ x).sum()
            y.backward()
torch.cuda.synchronize()
