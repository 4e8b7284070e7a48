"""A training whose memory grows: each batch is kept, with the output and its graph."""

import torch
from torch import nn

torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
seen = []
for step in range(100):
    samples, labels = torch.randn(64, 256), torch.randint(10, (64,))
    optimizer.zero_grad()
    output = model(samples)
    loss = nn.functional.cross_entropy(output, labels)
    loss.backward()
    optimizer.step()
    seen.append((samples, output))  # "for later"
