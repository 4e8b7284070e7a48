"""Says what the kernel knows of it before and after a training."""

# needs: torch

from kernel import said

before = said()
import torch
from seen import digest, randomness, seed

seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 2))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for _ in range(6):
    optimizer.zero_grad()
    model(torch.randn(3, 4)).sum().backward()
    optimizer.step()
print("\n".join(before))
print("\n".join(said()))
print(digest(model.state_dict()), randomness())
