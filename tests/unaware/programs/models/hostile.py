"""Modules that fail at being asked: __getattr__, __eq__, __len__, __bool__, __hash__, __repr__."""
# needs: torch

import traceback

import torch
from torch import nn


def refuses(*arguments):
    raise RuntimeError("not to be asked")


class Base(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(1, 1)

    def forward(self, x):
        return self.inner(x) * 0 + 1


def hostile(name):
    return type(f"Hostile{name}", (Base,), {name: refuses})


for name in (
    "__eq__",
    "__len__",
    "__bool__",
    "__repr__",
    "__str__",
    "__iter__",
    "__dir__",
    "__getitem__",
):
    kind = hostile(name)
    if name == "__eq__":
        kind.__hash__ = nn.Module.__hash__
    module = kind()
    out = module(torch.ones(1))
    out.sum().backward()
    torch.optim.SGD(module.parameters(), lr=0.1).step()
    print(name, out.item())


class Asks(Base):
    asked = []

    def __getattr__(self, name):
        self.asked.append(name)
        return super().__getattr__(name)


module = Asks()
module.asked.clear()
module(torch.ones(1)).sum().backward()
print(module.asked)


class Watched(Base):
    got = []

    def __getattribute__(self, name):
        type(self).got.append(name) if name != "__class__" else None
        return super().__getattribute__(name)


module = Watched()
Watched.got.clear()
module(torch.ones(1)).sum().backward()
print(Watched.got)


class Meta(type):
    def __getattr__(cls, name):
        raise RuntimeError(f"class asked for {name}")

    def __eq__(cls, other):
        raise RuntimeError("class compared")

    __hash__ = type.__hash__


class WithMeta(Base, metaclass=Meta):
    def __hash__(self):
        raise RuntimeError("not to be hashed")


try:
    print(WithMeta()(torch.ones(1)))
except RuntimeError:
    traceback.print_exc()
