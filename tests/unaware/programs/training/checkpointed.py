"""Activation checkpointing, reentrant and not, with dropout whose state is restored."""
# needs: torch

import torch
from seen import digest, randomness, seed
from torch import nn
from torch.utils.checkpoint import checkpoint, checkpoint_sequential

calls = []


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(5, 5), nn.Dropout(0.3), nn.Tanh())

    def forward(self, x):
        calls.append(torch.is_grad_enabled())
        return self.inner(x)


seed(0)
for reentrant in (True, False):
    model = nn.ModuleList(Block() for _ in range(3))
    x = torch.randn(4, 5, requires_grad=True)
    out = x
    for block in model:
        out = checkpoint(block, out, use_reentrant=reentrant)
    out.sum().backward()
    print(reentrant, calls, digest(x.grad, [p.grad for p in model.parameters()]))
    calls.clear()
model = nn.Sequential(*(Block() for _ in range(4)))
checkpoint_sequential(model, 2, torch.randn(4, 5), use_reentrant=False).sum().backward()
print(calls, digest([p.grad for p in model.parameters()]), randomness())
