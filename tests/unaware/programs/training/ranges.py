"""A training with NVTX ranges, which PyTorch may lack, under a profiler that sees their names."""
# needs: torch

import traceback

import torch
from seen import digest, randomness, seed
from torch.cuda import nvtx
from torch.profiler import ProfilerActivity, profile, record_function

seed(0)
depths = []


def told(call, *given):
    try:
        depths.append(call(*given))
    except RuntimeError:
        depths.append(traceback.format_exc())


@record_function("decorated")
def loss_of(model, x):
    return model(x).square().mean()


model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
with profile(activities=[ProfilerActivity.CPU]) as profiled:
    for _ in range(3):
        told(nvtx.range_push, "outer")
        told(nvtx.mark, "here")
        with record_function("mine") as mine:
            loss = loss_of(model, torch.randn(8, 4))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        told(nvtx.range_pop)
        told(nvtx.range_pop)
for wrong in (nvtx.range_push, nvtx.range_end):
    try:
        wrong(object())
    except Exception as error:
        print(type(error).__name__, len(traceback.extract_tb(error.__traceback__)))
print(depths, sorted(vars(mine)), digest(loss, list(model.parameters())))
names = {event.key: event.count for event in profiled.key_averages()}
print({name: names[name] for name in ("mine", "decorated")}, randomness())
