"""torch.export, strict and not, after an eager call too, with dynamic shapes, saved and loaded."""
# needs: torch
# also: no-auto

import io

import torch
from seen import digest, seed
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Dropout())
        self.register_buffer("scale", torch.ones(1))

    def forward(self, x, *, bias=None):
        out = self.inner(x) * self.scale
        return out if bias is None else out + bias


seed(0)
net = Net().eval()
x = torch.randn(2, 3)
dynamic = {"x": {0: torch.export.Dim("batch")}, "bias": None}
for turn in range(2):
    for strict in (False, True):
        program = torch.export.export(
            net, (x,), {"bias": None}, dynamic_shapes=dynamic, strict=strict
        )
        print(
            turn,
            strict,
            program.graph,
            program.graph_signature,
            digest(program.module()(x, bias=None)),
        )
        stacks = {
            tuple(m[0] for m in n.meta.get("nn_module_stack", {}).values())
            for n in program.graph.nodes
        }
        print(sorted(stacks))
    net(x).sum().backward()
saved = io.BytesIO()
torch.export.save(program, saved)
saved.seek(0)
print(digest(torch.export.load(saved).module()(x, bias=None)), digest(net(x)))
