"""Modes that hooks leave inside of a step, entered before it, or enter there, to be left later."""
# needs: torch

import torch
from seen import digest, randomness, seed
from torch import nn
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack as stack
from torch.utils.flop_counter import FlopCounterMode

seed(0)
model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
counter = FlopCounterMode(display=False)


def stop(*_):
    counter.__exit__(None, None, None)
    hook.remove()


def step(module):
    module(torch.ones(2, 3)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()


hook = optimizer.register_step_post_hook(stop)
counter.__enter__()
for _ in range(3):
    step(model)
print(counter.get_total_flops(), stack())
counter.__enter__()
hook = model[0].register_forward_hook(stop)
print(step(model), counter.get_total_flops(), stack())
late = FlopCounterMode(display=False)
entering = model.register_forward_hook(lambda *_: late.__enter__() and None)
x = model(torch.ones(2, 3))
entering.remove()
x.sum().backward()
late.__exit__(None, None, None)
print(late.get_total_flops(), stack())
print(digest(model.state_dict()), randomness())
