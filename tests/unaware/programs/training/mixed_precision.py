"""Automatic mixed precision on the processor: autocast, GradScaler with a step it skips."""
# needs: torch

import torch
from seen import digest, randomness, seed
from torch import nn

seed(0)
model = nn.Sequential(nn.Linear(6, 12), nn.GELU(), nn.Linear(12, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10, growth_interval=2)
for step in range(5):
    optimizer.zero_grad()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        out = model(torch.randn(4, 6))
        loss = out.float().square().mean()
    if step == 2:
        loss = loss * float("inf")
    scaler.scale(loss).backward()
    scaler.unscale_(optimizer)
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    returned = scaler.step(optimizer)
    scaler.update()
    print(step, out.dtype, returned, scaler.get_scale(), digest(model.state_dict()))
print(scaler.state_dict(), randomness())
