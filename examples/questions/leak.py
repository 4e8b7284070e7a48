"""A training whose memory grows: each batch is kept, with the output and its graph."""

import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.set_num_threads(1)
data = TensorDataset(torch.randn(6400, 256), torch.randint(10, (6400,)))
model = nn.Sequential(nn.Linear(256, 1024), nn.ReLU(), nn.Linear(1024, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
seen = []
for samples, labels in DataLoader(data, batch_size=64):
    optimizer.zero_grad()
    output = model(samples)
    loss = nn.functional.cross_entropy(output, labels)
    loss.backward()
    optimizer.step()
    seen.append((samples, output))  # "for later"
