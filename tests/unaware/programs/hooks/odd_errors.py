"""Errors that hooks raise through a step: ones that nobody may change, that have no text, and such
as end generators and programs. Where each was raised is the same."""
# needs: torch

import traceback

import torch
from seen import digest, randomness, seed
from torch import nn

seed(0)
model = nn.Sequential(nn.Linear(3, 3), nn.Sequential(nn.ReLU(), nn.Linear(3, 3)))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)


class NoText(Exception):
    def __str__(self):
        raise RuntimeError("no text")

    __repr__ = __str__


class Fixed(BaseException):
    def __setattr__(self, name, value):
        raise RuntimeError("not to be changed")


def raising(error):
    def hook(*_):
        raise error

    return hook


def step():
    model(torch.ones(2, 3)).sum().backward()
    optimizer.step()
    optimizer.zero_grad()


PLACES = [
    model[1].register_forward_pre_hook,
    model[1].register_forward_hook,
    model[1].register_full_backward_pre_hook,
    model[1].register_full_backward_hook,
    optimizer.register_step_pre_hook,
    optimizer.register_step_post_hook,
]
for kind in (NoText, Fixed, StopIteration, GeneratorExit, SystemExit, KeyboardInterrupt):
    for place in PLACES:
        raised = kind()
        hook = place(raising(raised))
        try:
            step()
        except BaseException as error:
            trace = traceback.extract_tb(error.__traceback__)
            print(kind.__name__, error is raised, [(at.name, at.lineno) for at in trace])
        hook.remove()
step()
print(digest(model.state_dict()), randomness())
raise Fixed
