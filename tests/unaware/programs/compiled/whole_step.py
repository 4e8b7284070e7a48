"""torch.compile around a whole training step, with graph breaks at backward and optimizer."""
# needs: torch

import logging

import torch
from seen import digest, randomness, seed
from torch import nn
from torch._dynamo.utils import counters
from torch.utils.data import DataLoader

# Its lines have times.
logging.getLogger("torch._dynamo").setLevel(logging.ERROR)
logging.getLogger("torch._logging").setLevel(logging.ERROR)
seed(0)
model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9)
seen = []


def backend(graph, inputs):
    seen.append([str(node.target) for node in graph.graph.nodes if node.op != "placeholder"])
    return graph.forward


@torch.compile(backend=backend, dynamic=False)
def step(x):
    optimizer.zero_grad()
    loss = model(x).square().mean()
    loss.backward()
    optimizer.step()
    return loss


@torch.compile(backend=backend)
def evaluate(x):
    with torch.no_grad():
        return model(x).sum()


for x in DataLoader(torch.rand(12, 4), batch_size=4):
    print(step(x).item().hex())
print(evaluate(torch.ones(2, 4)).item().hex())
print(len(seen), *seen, sep="\n")
print({kind: dict(sorted(counters[kind].items())) for kind in ("stats", "frames", "graph_break")})
print(digest(model.state_dict(), optimizer.state_dict()), randomness())
