"""A training that forks in its middle, as evaluation in the background does."""
# needs: torch

import os

import torch
from seen import digest, randomness, seed
from torch import nn

seed(0)
torch.set_num_threads(1)
model = nn.Linear(3, 3)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(4):
    optimizer.zero_grad()
    loss = model(torch.randn(2, 3)).square().sum()
    pid = os.fork()
    if pid == 0:
        with torch.no_grad():
            print("child", step, digest(model(torch.ones(1, 3)), torch.get_rng_state()), flush=True)
        os._exit(step)
    print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)
    loss.backward()
    optimizer.step()
print(digest(model.state_dict()), randomness())
