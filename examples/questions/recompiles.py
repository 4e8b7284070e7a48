"""A compiled training that is compiled again: every eighth batch has another shape."""

import torch
from torch import nn

torch.set_num_threads(1)
network = nn.Sequential(nn.Linear(64, 64), nn.Tanh(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(network.parameters(), lr=0.01)
model = torch.compile(network, dynamic=False)
for step in range(64):
    size = 32 + step // 8 if step % 8 == 7 else 32
    samples, labels = torch.randn(size, 64), torch.randint(10, (size,))
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(samples), labels)
    loss.backward()
    optimizer.step()
