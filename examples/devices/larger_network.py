"""A larger network, layer by layer: now the GPU's work takes longer than launching it.

    python examples/devices/larger_network.py

`modules=True` adds a lap for each layer, forward and backward. "GPU waited" counts laps that the
GPU had begun before the CPU had launched all of their work: there launching is the limit.
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
loader = DataLoader(TensorDataset(images, labels), batch_size=256, shuffle=True)

model = nn.Sequential(
    nn.Linear(64, 1024), nn.ReLU(), nn.Linear(1024, 1024), nn.ReLU(), nn.Linear(1024, 10)
).to(device)
loss_function = nn.CrossEntropyLoss()
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)

with lt.record("larger_network.lap", phases=True, modules=True, force=True):
    for epoch in range(3):
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            loss = loss_function(model(x), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        print(f"epoch {epoch + 1}: loss {loss.item():.3f}")

report = lt.report()
print(f"\n{'lap':<32} {'count':>6} {'CPU ms':>10} {'device ms':>10} {'GPU waited':>10}")
for path in report:
    row = report[path]
    if path.startswith("step"):
        on_device = "–" if row.device_ns is None else f"{row.device_ns / 1e6:.2f}"
        waited = "–" if row.launch_bound_count is None else row.launch_bound_count
        cpu_ms = f"{row.total_ns / 1e6:.2f}"
        print(f"{path:<32} {row.count:>6} {cpu_ms:>10} {on_device:>10} {waited:>10}")
print("device:", report["step"].why("device_ns") or "timed by its own events")
