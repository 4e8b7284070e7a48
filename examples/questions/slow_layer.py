"""A training in which one layer takes nearly all of the time: a convolution with a large kernel."""

import torch
from torch import nn

torch.set_num_threads(1)
model = nn.Sequential(
    nn.Conv2d(3, 8, 3, padding=1),
    nn.ReLU(),
    nn.Conv2d(8, 16, 11, padding=5),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(16, 10),
)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for _ in range(60):
    samples, labels = torch.randn(8, 3, 32, 32), torch.randint(10, (8,))
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(samples), labels)
    loss.backward()
    optimizer.step()
