"""Methods replaced on single objects, and classes with a __call__ of their own."""
# needs: torch

import types

import torch
from torch import nn


class Calls(nn.Module):
    def __call__(self, x, twice=False):
        out = super().__call__(x)
        return (out, out) if twice else out

    def forward(self, x):
        return x + 1


class Skips(nn.Module):
    def __call__(self, x):
        return x * 5


class Wraps(nn.Module):
    def _call_impl(self, *arguments, **keywords):
        return ["wrapped", super()._call_impl(*arguments, **keywords)]

    __call__ = _call_impl

    def forward(self, x):
        return x


model = nn.Linear(1, 1, bias=False)
nn.init.ones_(model.weight)
old = model.forward
model.forward = lambda x: old(x) + 1
print(model(torch.ones(1)).item())
model.forward = types.MethodType(lambda self, x: self.weight.sum() * 3, model)
print(model(torch.ones(1)).item())
print(Calls()(torch.ones(1), twice=True), Skips()(torch.ones(1)), Wraps()(torch.ones(1)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
step, steps = optimizer.step, []
optimizer.step = lambda *arguments: steps.append(arguments) or step(*arguments)
for _ in range(2):
    optimizer.zero_grad()
    model(torch.ones(1)).backward()
    print(optimizer.step())
print(steps, model.weight.item(), sorted(vars(optimizer)))
print(nn.Module.__call__.__name__, nn.Module.__call__.__qualname__, type(nn.Module.__call__))
print(torch.optim.SGD.step.__name__, type(torch.optim.SGD.step), torch.autograd.backward.__name__)
