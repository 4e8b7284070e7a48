"""Four steps for a tool to look at: two `sin` in each lap `forward`, two `cos` around it.

steps.py [capture]     with it, CUDA's profiler is on for the third step only
"""

import os
import sys

import torch

import laptime as lt

x = torch.rand(1 << 12, device=os.environ.get("EXPERIMENT_DEVICE", "cuda"))
torch.cuda.synchronize()
if "capture" in sys.argv:
    lt.capture("step", skip=2, count=1)
for _ in range(4):
    with lt.lap("step"):
        x.cos_()
        with lt.lap("forward"):
            x.sin_()
            x.sin_()
        x.cos_()
torch.cuda.synchronize()
