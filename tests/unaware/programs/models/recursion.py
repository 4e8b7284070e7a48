"""RecursionError in a model, at the depth where it comes; one that recurses on purpose."""
# needs: torch

import sys

import torch
from torch import nn


class Endless(nn.Module):
    depth = 0

    def forward(self, x):
        self.depth += 1
        return self(x)


class Counted(nn.Module):
    def forward(self, x, depth):
        return x if depth == 0 else self(x, depth - 1) + 1


endless = Endless()
try:
    endless(torch.ones(1))
except RecursionError as error:
    print(endless.depth, str(error).split(" while")[0])
low, high = 1, 1000
while low < high:
    middle = (low + high + 1) // 2
    try:
        with torch.no_grad():
            Counted()(torch.ones(1), middle)
        low = middle
    except RecursionError:
        high = middle - 1
# While a call is counted, the limit is reached one call earlier.
print(abs(endless.depth - low) <= 1, sys.getrecursionlimit())
print(Counted()(torch.ones(1, requires_grad=True), 100).item())
