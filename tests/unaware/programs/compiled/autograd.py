"""Compiled autograd: around steps, around the backward alone, and switched on by its option."""
# needs: torch

import logging

import torch
from seen import digest, randomness, seed
from torch import nn
from torch._dynamo import compiled_autograd
from torch._dynamo.utils import counters

# Its lines have times.
logging.getLogger("torch._dynamo").setLevel(logging.ERROR)
seed(0)
model = nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))
seen = []


def backend(graph, inputs):
    seen.append(len(graph.graph.nodes))
    return graph.forward


def compiled():
    return compiled_autograd._enable(torch.compile(backend=backend, fullgraph=True))


model(torch.ones(2, 3)).sum().backward()
kept = model(torch.ones(2, 3)).sum()
with compiled():
    kept.backward()
    print(*torch.autograd.grad(model(torch.ones(2, 3)).sum(), model.parameters()))
for _ in range(4):
    with compiled():
        model(torch.randn(2, 3)).sum().backward()
for _ in range(2):
    loss = model(torch.randn(2, 3)).sum()
    with compiled():
        loss.backward()

torch._dynamo.config.compiled_autograd = True


@torch.compile(backend=backend)
def step(x):
    loss = model(x).sum()
    loss.backward()
    return loss


for _ in range(3):
    print(step(torch.randn(2, 3)).item().hex())
model(torch.randn(2, 3)).sum().backward()
print(seen, {kind: dict(counters[kind]) for kind in ("compiled_autograd", "stats", "graph_break")})
print(digest([p.grad for p in model.parameters()]), randomness())
