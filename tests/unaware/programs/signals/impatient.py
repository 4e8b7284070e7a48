"""Work whose time is up again and again: a handler raises wherever the signal finds it."""
# needs: torch

import gc
import signal

import torch
from seen import seed
from torch import nn


class TimeIsUp(Exception):
    pass


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(8, 8)

    def forward(self, x):
        return torch.relu(self.inner(x)) + x


def give_up(number, frame):
    global armed, raised
    if armed:
        armed = False
        raised += 1
        raise TimeIsUp


def strangers(error):
    entry = error.__traceback__
    while entry is not None:
        code = entry.tb_frame.f_code
        if code.co_filename != __file__ and "/torch/nn/" not in code.co_filename:
            yield f"{code.co_filename}:{code.co_name}"
        entry = entry.tb_next


seed(0)
raised = caught = 0
armed = False
found = set()
signal.signal(signal.SIGALRM, give_up)
gc.disable()  # what is raised while the collector runs is lost
signal.setitimer(signal.ITIMER_REAL, 0.002, 0.002)
while raised < 100:
    # Each time other models and shapes: whatever is learned of one is learned again.
    models = [nn.Sequential(Block(), Block()) for _ in range(10)]
    inputs = [torch.ones(1 + (raised + number) % 97, 8) for number in range(10)]
    try:
        armed = True
        for model, x in zip(models, inputs):
            model(x)
        armed = False
    except TimeIsUp as error:
        caught += 1
        found.update(strangers(error))
signal.setitimer(signal.ITIMER_REAL, 0)
print("raised but not caught:", raised - caught, "strangers:", found)
print(torch.is_grad_enabled(), torch.utils._python_dispatch._get_current_dispatch_mode_stack())
