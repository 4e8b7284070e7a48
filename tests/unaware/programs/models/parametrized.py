"""Lazy modules, weight and spectral norm, parametrizations, pruning, dynamic quantization."""
# needs: torch

import warnings

import torch
from seen import digest, randomness, seed
from torch import nn
from torch.nn.utils import parametrizations, parametrize, prune

warnings.simplefilter("ignore")
seed(0)
lazy = nn.Sequential(nn.LazyLinear(4), nn.LazyBatchNorm1d(), nn.LazyLinear(2))
print(lazy, len(lazy[0]._forward_pre_hooks))
lazy(torch.randn(3, 5)).sum().backward()
print(lazy, len(lazy[0]._forward_pre_hooks), digest(lazy.state_dict()))
normed = parametrizations.weight_norm(nn.Linear(3, 3))
spectral = parametrizations.spectral_norm(nn.Linear(3, 3))
old = nn.utils.weight_norm(nn.Linear(3, 3))


class Symmetric(nn.Module):
    def forward(self, x):
        return x.triu() + x.triu(1).T


symmetric = nn.Linear(3, 3)
parametrize.register_parametrization(symmetric, "weight", Symmetric())
prune.l1_unstructured(pruned := nn.Linear(3, 3), "weight", 0.5)
model = nn.Sequential(normed, spectral, old, symmetric, pruned)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(2):
    optimizer.zero_grad()
    with parametrize.cached():
        model(torch.randn(4, 3)).square().sum().backward()
    optimizer.step()
print(
    digest(model.state_dict()),
    type(symmetric).__name__,
    symmetric.weight.allclose(symmetric.weight.T),
)
quantized = torch.ao.quantization.quantize_dynamic(
    nn.Sequential(nn.Linear(3, 3)).eval(), {nn.Linear}
)
print(quantized, digest(quantized(torch.ones(1, 3))), randomness())
