"""Modes of one's own, for dispatch and functions: every operator they see, in order."""
# needs: torch

import torch
from seen import seed
from torch import nn
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode
from torch.utils.data import DataLoader


class Dispatches(TorchDispatchMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_dispatch__(self, function, types, arguments=(), keywords=None):
        self.seen.append(str(function))
        return function(*arguments, **(keywords or {}))


class Functions(TorchFunctionMode):
    def __init__(self):
        super().__init__()
        self.seen = []

    def __torch_function__(self, function, types, arguments=(), keywords=None):
        self.seen.append(getattr(function, "__name__", str(function)))
        return function(*arguments, **(keywords or {}))


def train(model, optimizer):
    for x in DataLoader(torch.ones(2, 3)):
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()


seed(0)
model = nn.Sequential(nn.Linear(3, 3), nn.Dropout(), nn.LayerNorm(3))
optimizer = torch.optim.Adam(model.parameters())
print(_get_current_dispatch_mode())
train(model, optimizer)
for mode in (Dispatches(), Functions()):
    with mode:
        train(model, optimizer)
    print(type(mode).__name__, len(mode.seen), *mode.seen, sep="\n")
with Dispatches() as outer, Dispatches() as inner:
    model(torch.ones(1, 3))
print(outer.seen == inner.seen, _get_current_dispatch_mode())


class Subclass(torch.Tensor):
    seen = []

    @classmethod
    def __torch_function__(cls, function, types, arguments=(), keywords=None):
        cls.seen.append(getattr(function, "__name__", str(function)))
        return super().__torch_function__(function, types, arguments, keywords or {})


print(type(model(torch.ones(1, 3).as_subclass(Subclass))), Subclass.seen)
