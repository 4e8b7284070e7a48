"""A classifier trained and evaluated for three epochs, its weights kept by torch.save."""
# needs: torch
# also: no-auto

import random

import torch
from seen import digest, randomness, seed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

seed(0)
data = TensorDataset(torch.randn(60, 8), torch.randint(0, 3, (60,)))
loader = DataLoader(data, batch_size=16, shuffle=True)
model = nn.Sequential(
    nn.Linear(8, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dropout(), nn.Linear(16, 3)
)
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
for epoch in range(3):
    model.train()
    for x, y in loader:
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(model(x), y)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    schedule.step()
    model.eval()
    with torch.no_grad():
        right = sum((model(x).argmax(1) == y).sum().item() for x, y in loader)
    print(epoch, loss.item().hex(), right, schedule.get_last_lr(), random.random())
print(digest(model.state_dict(), optimizer.state_dict()), randomness())
torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, "weights.pt")
