"""torch.compile to machine code, forward and backward."""
# needs: torch
# subset: no

import os
import shutil

import torch
from seen import digest, seed
from torch import nn
from torch._dynamo.utils import counters

seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.GELU(), nn.Linear(8, 1))
compiled = torch.compile(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(3):
    optimizer.zero_grad()
    compiled(torch.randn(4, 4)).square().mean().backward()
    optimizer.step()
print(digest(model.state_dict()), dict(counters["stats"]), dict(counters["graph_break"]))
for name in os.listdir(os.environ["TMPDIR"]):  # Headers compiled beforehand, never twice the same.
    shutil.rmtree(os.path.join(os.environ["TMPDIR"], name))
