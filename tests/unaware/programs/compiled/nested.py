"""Compiled parts inside eager modules, hooks on them, disabled parts, a backend of its own."""
# needs: torch
# subset: no

import torch
from seen import digest, seed
from torch import nn

graphs = []


def backend(graph, inputs):
    graphs.append([str(node.target) for node in graph.graph.nodes])
    return graph.forward


@torch.compiler.disable
def apart(x):
    return x * 2


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.part = torch.compile(nn.Linear(2, 2), backend=backend)
        self.rest = nn.Linear(2, 2)

    def forward(self, x):
        return self.rest(apart(self.part(x)))


seed(0)
net = Net()
net(torch.ones(1, 2)).sum().backward()
net.part.register_forward_hook(lambda module, inputs, out: out + 1)
for size in (1, 2, 3):
    net(torch.ones(size, 2)).sum().backward()
net.compile(backend=backend)
for size in (4, 5):
    net.train(size == 4)
    net(torch.ones(size, 2)).sum().backward()
with torch.no_grad():
    net(torch.ones(4, 2))
print(len(graphs), *graphs, sep="\n")
print(digest(net.state_dict(), [p.grad for p in net.parameters()]), list(net.state_dict()))
