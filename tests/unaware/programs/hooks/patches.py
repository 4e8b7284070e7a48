"""A library that wraps Module.__call__, backward, step and the loader before and amid training.

It takes its patches off in another order, and compares what it finds with what it left.
"""
# needs: torch

import functools

import torch
from torch import nn
from torch.utils.data import DataLoader
from torch.utils.data.dataloader import _BaseDataLoaderIter

log = []


def patch(owner, name, tag):
    original = getattr(owner, name)

    @functools.wraps(original)
    def wrapped(*arguments, **keywords):
        log.append(tag)
        return original(*arguments, **keywords)

    setattr(owner, name, wrapped)

    def restore():
        print(tag, getattr(owner, name) is wrapped)
        setattr(owner, name, original)

    return restore


def train():
    for x in DataLoader(torch.ones(2, 2)):
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()
    print(log)
    log.clear()


model = nn.Linear(2, 2)
first = [patch(nn.Module, "__call__", "call 1"), patch(torch.optim.SGD, "step", "step 1")]
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train()
second = [
    patch(nn.Module, "__call__", "call 2"),
    patch(torch.optim.SGD, "step", "step 2"),
    patch(torch.optim.Optimizer, "zero_grad", "zero"),
    patch(torch.Tensor, "backward", "tensor backward"),
    patch(torch.autograd, "backward", "autograd backward"),
    patch(_BaseDataLoaderIter, "__next__", "next"),
    patch(nn.Linear, "forward", "forward"),
]
train()
for restore in first:
    restore()
train()
for restore in reversed(second):
    restore()
train()
