"""A script that spends most of its time on imports, and little on its work."""

import torch
import torch.fx.experimental.symbolic_shapes  # an import too many
from torch import nn

torch.set_num_threads(1)
model = nn.Linear(64, 10)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(100):
    loss = nn.functional.cross_entropy(model(torch.randn(32, 64)), torch.randint(10, (32,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
