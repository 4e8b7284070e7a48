"""A small network: launching its work takes longer than the work, on a GPU.

    python examples/devices/small_network.py

CPU is the time by the host's clock. On a GPU that is how long launching took, and the column
beside it has how long the GPU worked. Without one the column is a dash, and a line says why.
"""

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import laptime as lt

device = "cuda" if torch.cuda.is_available() else "cpu"
digits = load_digits()
images = torch.tensor(digits.data / 16, dtype=torch.float32)
labels = torch.tensor(digits.target)
loader = DataLoader(TensorDataset(images, labels), batch_size=64, shuffle=True)

model = nn.Sequential(nn.Linear(64, 32), nn.ReLU(), nn.Linear(32, 10)).to(device)
loss_function = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

with lt.record("small_network.lap", phases=True, force=True):
    for epoch in range(3):
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            loss = loss_function(model(x), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        print(f"epoch {epoch + 1}: loss {loss.item():.3f}")

report = lt.report()
print(f"\n{'lap':<16} {'count':>6} {'CPU ms':>10} {'device ms':>10}")
for path in ("step", "step/forward", "step/backward", "step/optimizer"):
    row = report[path]
    on_device = "–" if row.device_ns is None else f"{row.device_ns / 1e6:.2f}"
    print(f"{path:<16} {row.count:>6} {row.total_ns / 1e6:>10.2f} {on_device:>10}")
print("device:", report["step"].why("device_ns") or "timed by its own events")
