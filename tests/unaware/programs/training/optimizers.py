"""Every optimizer of torch for some steps, fused, foreach and plain, and one of its own."""
# needs: torch

import torch
from seen import digest, randomness, seed
from torch import nn


class Own(torch.optim.Optimizer):
    def __init__(self, parameters, lr):
        super().__init__(parameters, {"lr": lr})

    @torch.no_grad()
    def step(self, closure=None, scale=1):
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter -= scale * group["lr"] * parameter.grad
        return "returned"


def train(make, **arguments):
    seed(0)
    model = nn.Linear(4, 4)
    optimizer = make(model.parameters(), **arguments)
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.randn(5, 4)).square().sum().backward()
        returned = optimizer.step()
    print(
        make.__name__,
        arguments,
        returned,
        digest(model.state_dict()),
        digest(optimizer.state_dict()),
    )


for name in ("SGD", "Adam", "AdamW", "Adagrad", "RMSprop", "Rprop", "NAdam", "Adamax", "ASGD"):
    for arguments in ({}, {"foreach": True}):
        train(getattr(torch.optim, name), lr=0.01, **arguments)
train(torch.optim.SGD, lr=0.01, momentum=0.9, fused=True)
train(Own, lr=0.1)
print(randomness())
