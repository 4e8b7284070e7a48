"""Modules made, loaded and looked at in every way that a library has for it."""
# needs: torch

import copy
import inspect
import io
import pickle

import torch
from seen import digest, randomness, seed
from torch import nn
from torch.nn.utils import skip_init


class Old(nn.Module):
    def __init__(self):
        nn.Module.__init__(self)
        self.layer = nn.Linear(2, 2)

    def forward(self, x):
        return self.layer(x)


class Scale(nn.Module):
    def __init__(self, factor):
        super().__init__()
        self.factor = factor

    def forward(self, x):
        return x * self.factor


class Bare(nn.Module):
    pass


def makes_inside(x):
    return Scale(3)(nn.ReLU()(x)) + nn.Softmax(dim=-1)(x)


seed(0)
for function in (nn.Module.__init__, nn.Module.load_state_dict, nn.Module.__setstate__):
    print(function.__qualname__, function.__module__, inspect.signature(function))
    print(inspect.isfunction(function), function.__code__.co_varnames[:2], function.__doc__ is None)
    print(inspect.getsource(function).strip()[:60])
bare = Bare()
print(bare.__init__.__self__ is bare, Bare.__init__ is nn.Module.__init__, vars(Bare).keys())

old = Old()
again = pickle.loads(pickle.dumps(old))
copied = copy.deepcopy(old)
print(
    copied.load_state_dict(again.state_dict()), torch.equal(copied.layer.weight, old.layer.weight)
)
try:
    copied.load_state_dict({"layer.weight": torch.zeros(3, 3)})
except RuntimeError as error:
    print(error)
saved = io.BytesIO()
torch.save(old, saved)
saved.seek(0)
print(torch.load(saved, weights_only=False))

print(torch.compile(makes_inside, backend="eager", fullgraph=True)(torch.ones(3)))
print(len(torch.fx.symbolic_trace(old).graph.nodes))
print(len(torch.export.export(nn.Sequential(old), (torch.ones(1, 2),)).graph.nodes))
print(skip_init(nn.Linear, 2, 3))
lazy = nn.Sequential(nn.LazyLinear(3), nn.ReLU())
print(digest(lazy(torch.ones(1, 4))), lazy)
with torch.device("meta"):
    print(nn.Linear(2, 2).weight.device)
try:
    Scale()
except TypeError as error:
    print(error)
print(digest(*old.parameters(), *again.parameters(), *copied.parameters()), randomness())
