"""Fake and meta tensors: shapes without data, through whole trainings; deferred construction."""
# needs: torch

import torch
from seen import randomness, seed
from torch import nn
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils.flop_counter import FlopCounterMode

seed(0)
with FakeTensorMode() as mode:
    model = nn.Sequential(nn.Linear(1000, 1000), nn.BatchNorm1d(1000))
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(2):
        optimizer.zero_grad()
        out = model(torch.randn(64, 1000))
        out.sum().backward()
        optimizer.step()
    print(type(out).__name__, out.shape, model[0].weight.grad.shape)
    try:
        out.sum().item()
    except Exception as error:
        print(type(error).__name__)
with torch.device("meta"):
    model = nn.TransformerEncoderLayer(64, 4, batch_first=True)
    print(model(torch.empty(2, 7, 64)).shape)
model = nn.Linear(3, 5)
with FlopCounterMode(display=False) as counter:
    model(torch.ones(2, 3)).sum().backward()
print(counter.get_total_flops(), sorted(counter.get_flop_counts()), randomness())
