"""A graph network on one graph as a whole; validated in every epoch, with gradients on.

After the loop of tkipf/pygcn (MIT), with messages passed by hand.
"""

import torch
from timers import begin, end, timed
from torch import nn
from torch.nn.functional import dropout, log_softmax, nll_loss

torch.manual_seed(0)
torch.set_num_threads(1)
NODES, EDGES, FEATURES, KINDS = 1_000, 8_000, 256, 7


class Convolution(nn.Module):
    def __init__(self, given, made):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(given, made) / given**0.5)
        self.bias = nn.Parameter(torch.zeros(made))

    def forward(self, x, source, goal, weight):
        messages = (x @ self.weight)[source] * weight[:, None]
        return torch.zeros(len(x), messages.shape[1]).index_add(0, goal, messages) + self.bias


class Graph(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = Convolution(FEATURES, 128), Convolution(128, KINDS)

    def forward(self, x, *edges):
        x = self.first(x, *edges).relu()
        x = dropout(x, 0.5, training=self.training)
        return log_softmax(self.second(x, *edges), 1)


labels = torch.randint(KINDS, (NODES,))
features = torch.randn(NODES, FEATURES) + torch.randn(KINDS, FEATURES)[labels]
source = torch.cat([torch.randint(NODES, (EDGES,)), torch.arange(NODES)])
goal = torch.cat([torch.randint(NODES, (EDGES,)), torch.arange(NODES)])
edges = source, goal, 1 / torch.bincount(goal)[goal]
order = torch.randperm(NODES)
train, validation, test = order[:300], order[300:600], order[600:]
model = Graph()
optimizer = torch.optim.Adam(model.parameters(), lr=0.01, weight_decay=5e-4)
for _ in range(120):
    model.train()
    begin("step")
    with timed("optimizer", counts=False):
        optimizer.zero_grad()
    with timed("forward"):
        output = model(features, *edges)
    loss = nll_loss(output[train], labels[train])
    with timed("backward"):
        loss.backward()
    with timed("optimizer"):
        optimizer.step()
    end("step")

    model.eval()
    with timed("evaluation"):
        output = model(features, *edges)
    nll_loss(output[validation], labels[validation]).item()

model.eval()
with timed("evaluation"):
    output = model(features, *edges)
nll_loss(output[test], labels[test]).item()
