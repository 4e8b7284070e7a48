"""A training that knows nothing of Laptime. Its own events tell what each part of a step took.

Prints a list with the milliseconds of forward, backward and optimizer for each step.
"""

import json
import os

import torch
from torch.utils.data import DataLoader, TensorDataset

device = os.environ.get("EXPERIMENT_DEVICE", "cuda")
is_tiny = device != "cuda"
# So wide that the device is never idle, even while a profiler makes the host slow.
WIDTH, INNER, BATCH = (32, 64, 8) if is_tiny else (8192, 32768, 1024)
STEPS, LAYERS = (6, 2) if is_tiny else (24, 4)


def layer() -> torch.nn.Module:
    wide, narrow = torch.nn.Linear(WIDTH, INNER), torch.nn.Linear(INNER, WIDTH)
    return torch.nn.Sequential(wide, torch.nn.GELU(), narrow)


def event() -> torch.cuda.Event:
    made = torch.cuda.Event(enable_timing=True)
    made.record()
    return made


with torch.device(device):
    model = torch.nn.Sequential(*(layer() for _ in range(LAYERS))).to(torch.bfloat16)
criterion = torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3)
batches = DataLoader(TensorDataset(torch.randn(STEPS * BATCH, WIDTH)), batch_size=BATCH)
told = []
for (batch,) in batches:
    x = batch.to(device, torch.bfloat16)
    begin = event()
    loss = criterion(model(x), x)
    forward = event()
    loss.backward()
    backward = event()
    optimizer.step()
    # Here, so that it is on the same side of the events as of the phases.
    optimizer.zero_grad()
    told.append((begin, forward, backward, event()))
torch.cuda.synchronize()
print(json.dumps([[a.elapsed_time(b) for a, b in zip(one, one[1:])] for one in told]))  # noqa: RUF007
