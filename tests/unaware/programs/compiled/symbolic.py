"""torch.fx: the graph's text and code, transformed modules, what the tracer asks of a module."""
# needs: torch

import torch
from seen import digest, seed
from torch import fx, nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 4), nn.Sequential(nn.ReLU(), nn.Linear(4, 2))

    def forward(self, x, scale=2.0):
        return self.second(self.first(x)) * scale + x.sum()


class Leafless(fx.Tracer):
    def is_leaf_module(self, module, name):
        return False


seed(0)
net = Net()
for _ in range(2):
    traced = fx.symbolic_trace(net)
    print(traced.graph, traced.code)
    print(Leafless().trace(net))
    net(torch.ones(1, 3)).sum().backward()
for node in traced.graph.nodes:
    if node.target == "first":
        node.meta["seen"] = True
shapes = fx.passes.shape_prop.ShapeProp(traced)
print(digest(shapes.propagate(torch.ones(1, 3)), net(torch.ones(1, 3))))
print([(n.name, sorted(n.meta)) for n in traced.graph.nodes])
print(digest(fx.Interpreter(traced).run(torch.ones(1, 3))))
