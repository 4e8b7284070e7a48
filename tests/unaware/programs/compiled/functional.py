"""torch.func: vmap, grad, jacrev, functional_call over stacked models; make_fx of all that."""
# needs: torch

import copy

import torch
from seen import digest, randomness, seed
from torch import nn
from torch.func import functional_call, grad, jacrev, stack_module_state, vmap
from torch.fx.experimental.proxy_tensor import make_fx

seed(0)
models = [nn.Sequential(nn.Linear(3, 4), nn.Tanh(), nn.Linear(4, 1)) for _ in range(3)]
parameters, buffers = stack_module_state(models)
base = copy.deepcopy(models[0]).to("meta")
x = torch.randn(5, 3)


def call(parameters, buffers, x):
    return functional_call(base, (parameters, buffers), (x,))


print(digest(vmap(call, (0, 0, None))(parameters, buffers, x)))
one = dict(models[0].named_parameters())


def loss(parameters, x):
    return functional_call(models[0], parameters, (x,)).square().mean()


print(digest(grad(loss)(one, x), vmap(grad(loss), (None, 0))(one, x), jacrev(loss)(one, x)))
for traced in (make_fx(grad(loss))(one, x), make_fx(models[1])(x), make_fx(vmap(models[2]))(x)):
    print(traced.graph)
print(randomness())
