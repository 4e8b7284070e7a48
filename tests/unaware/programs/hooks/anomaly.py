"""Anomaly mode: where the value that is no number came from, told by the forward's traceback."""
# needs: torch

import traceback
import warnings

import torch
from torch import nn


class Root(nn.Module):
    def forward(self, x):
        return (x - 1).sqrt() * 0


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.root = Root()

    def forward(self, x):
        return self.root(x)


warnings.simplefilter("always")
net = Net()
with torch.autograd.detect_anomaly():
    x = torch.ones(2, requires_grad=True)
    out = net(x)
    print(sorted(out.grad_fn.metadata), len(out.grad_fn.metadata["traceback_"]))
    for line in out.grad_fn.metadata["traceback_"]:
        print(line, end="")
    try:
        out.sum().backward()
    except RuntimeError:
        traceback.print_exc()
