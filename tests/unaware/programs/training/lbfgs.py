"""LBFGS: closures that the optimizer calls as often as it wants, and what step returns."""
# needs: torch

import torch
from seen import digest, randomness, seed
from torch import nn

seed(0)
model = nn.Sequential(nn.Linear(3, 8), nn.Tanh(), nn.Linear(8, 1))
x = torch.randn(32, 3)
y = x.prod(1, keepdim=True)
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.5, max_iter=5, line_search_fn="strong_wolfe")
calls = 0


def closure():
    global calls
    calls += 1
    optimizer.zero_grad()
    loss = nn.functional.mse_loss(model(x), y)
    loss.backward()
    return loss


for _ in range(4):
    print(optimizer.step(closure).item().hex(), calls)
print(digest(model.state_dict()), randomness())
