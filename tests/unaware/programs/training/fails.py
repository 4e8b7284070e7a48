"""Trainings that fail: in a module, in a loss, in backward, in an optimizer; all tracebacks."""
# needs: torch
# also: no-auto

import traceback

import torch
from torch import nn
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 4), nn.Linear(5, 1)

    def forward(self, x):
        return self.second(self.first(x))


class Broken(torch.optim.SGD):
    def step(self, closure=None):
        raise FloatingPointError("in step")


class Items:
    def __len__(self):
        return 4

    def __getitem__(self, number):
        if number == 2:
            raise LookupError(f"item {number}")
        return torch.ones(3)


def attempt(function):
    try:
        function()
    except Exception as error:
        traceback.print_exc()
        frames = traceback.extract_tb(error.__traceback__)
        print([frame.name for frame in frames], len(traceback.format_stack()))


net = Net()
attempt(lambda: net(torch.ones(1, 3)))
attempt(lambda: net(torch.ones(1, 3), wrong=1))
attempt(lambda: torch.ones(1, requires_grad=True).sum().detach().backward())
attempt(lambda: nn.CrossEntropyLoss()(torch.ones(1, 3), torch.tensor([7])))
attempt(lambda: Broken(net.parameters(), lr=1).step())
attempt(lambda: torch.optim.LBFGS(net.parameters()).step())
attempt(lambda: [None for _ in DataLoader(Items(), batch_size=1)])
attempt(lambda: torch.autograd.grad(torch.ones(1), [torch.ones(1)]))
net(torch.ones(2, 3))
