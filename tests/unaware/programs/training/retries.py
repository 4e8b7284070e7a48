"""Tries with smaller and smaller batches: what a failed one held is free before the next."""
# needs: torch

import gc
import weakref

import torch
from seen import digest, randomness, seed
from torch import nn

gc.disable()
seed(0)
seen = []


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(64, 64)

    def forward(self, x):
        y = self.linear(x)
        seen.append(weakref.ref(y))
        if len(x) > 4:
            raise MemoryError("batch too large")
        return y


class Fails(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x * 1

    @staticmethod
    def backward(context, gradient):
        seen.append(weakref.ref(gradient))
        raise ValueError("too large")


def wrong(net, x):
    try:
        net(x[:, :3])
    except RuntimeError as error:
        print(type(error).__name__)


def backward(y):
    try:
        Fails.apply(y).sum().backward()
    except ValueError as error:
        print(error)


net = Net()
for size in (8, 6, 4):
    try:
        out = net(torch.ones(size, 64))
    except MemoryError as error:
        print(error)
    print("activation is freed:", seen[-1]() is None)
x = torch.ones(2, 64)
seen.append(weakref.ref(x))
wrong(net, x)
del x
print("input of an operator that failed is freed:", seen[-1]() is None)
seen.append(weakref.ref(out))
backward(out)
del out
print("gradient and output are freed:", *(one() is None for one in seen[-2:]))
try:
    net(torch.ones(7, 64))
except MemoryError as error:
    try:
        raise KeyError("wrapped") from error
    except KeyError:
        pass
    del error
print("activation is freed after another error:", seen[-1]() is None)
net(torch.ones(3, 64)).sum().backward()
print(digest([p.grad for p in net.parameters()]), randomness())
