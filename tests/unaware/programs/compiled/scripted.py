"""TorchScript: scripted, traced, frozen, saved, loaded, and called amid eager modules."""
# needs: torch

import warnings

import torch
from seen import digest, randomness, seed
from torch import nn

warnings.simplefilter("ignore")


class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(3, 3)

    def forward(self, x, flip: bool = False):
        if flip:
            x = -x
        return torch.sigmoid(self.inner(x)) * x


seed(0)
model = nn.Sequential(Gate(), nn.LayerNorm(3)).eval()
x = torch.randn(2, 3, requires_grad=True)
model(x).sum().backward()
scripted = torch.jit.script(Gate())
print(scripted.code, scripted.graph)
traced = torch.jit.trace(model, x)
print(traced.code, digest(traced(x), traced(torch.ones(5, 3))))
frozen = torch.jit.freeze(torch.jit.script(model))
torch.jit.save(frozen, "frozen.pt")
loaded = torch.jit.load("frozen.pt")
print(digest(loaded(x)) == digest(model(x)), loaded.graph)
outer = nn.Sequential(scripted, nn.Linear(3, 1))
outer(torch.randn(2, 3)).sum().backward()
print(digest([p.grad for p in outer.parameters()]), randomness())
