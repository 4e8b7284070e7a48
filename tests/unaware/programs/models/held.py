"""A training that looks whether batches, outputs, gradients and the model are freed at once."""
# needs: torch

import gc
import weakref

import torch
from seen import digest, randomness, seed
from torch import nn

gc.disable()
seed(0)
model = nn.Linear(4, 4)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(4):
    x = torch.randn(2, 4)
    optimizer.zero_grad()
    y = model(x)
    y.sum().backward()
    optimizer.step()
    seen = [weakref.ref(x), weakref.ref(y), weakref.ref(model.weight.grad)]
    del x, y
    model.weight.grad = None
    print([one() is None for one in seen])
weights = digest(*model.parameters())
seen = [weakref.ref(model), weakref.ref(model.weight)]
del model, optimizer
gc.collect()
print([one() is None for one in seen], weights, randomness())
