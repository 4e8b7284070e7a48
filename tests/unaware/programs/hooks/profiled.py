"""torch.profiler around a training: names and counts of all events, its schedule, its labels."""
# needs: torch

import collections

import torch
from seen import seed
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from torch.utils.data import DataLoader

seed(0)
model = nn.Sequential(nn.Linear(4, 4), nn.ReLU())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


def train(profiler=None):
    for x in DataLoader(torch.ones(4, 4)):
        with record_function("own label"):
            optimizer.zero_grad()
            model(x).sum().backward()
            optimizer.step()
        if profiler:
            profiler.step()


train()
with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as profiler:
    train()
counts = collections.Counter(event.name for event in profiler.events())
for name, count in sorted(counts.items()):
    print(name, count)
ready = []
with profile(
    activities=[ProfilerActivity.CPU],
    schedule=schedule(wait=1, warmup=1, active=2),
    on_trace_ready=lambda p: ready.append(sorted({event.key for event in p.key_averages()})),
) as profiler:
    train(profiler)
print(ready)
with torch.autograd.profiler.profile() as profiler:
    train()
print(len(profiler.function_events))
