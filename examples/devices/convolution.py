"""A convolutional network: time and memory, of the CPU and of the device.

    python examples/devices/convolution.py

Peaks are the most that a lap allocated over what was there at its start. Those of the device are
its allocator's; `device_memory="fold"` makes them exact, however laps nest.
"""

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import laptime as lt

device = "cuda" if torch.cuda.is_available() else "cpu"
digits = load_digits()
images = torch.tensor(digits.images / 16, dtype=torch.float32).unsqueeze(1)  # [1797, 1, 8, 8]
labels = torch.tensor(digits.target)
loader = DataLoader(TensorDataset(images, labels), batch_size=128, shuffle=True)

model = nn.Sequential(
    nn.Conv2d(1, 32, 3, padding=1),
    nn.ReLU(),
    nn.Conv2d(32, 64, 3, padding=1),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(64 * 4 * 4, 10),
).to(device)
loss_function = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.05)

with lt.record("convolution.lap", phases=True, memory=True, device_memory="fold", force=True):
    for epoch in range(2):
        for x, y in loader:
            x, y = x.to(device), y.to(device)
            loss = loss_function(model(x), y)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        print(f"epoch {epoch + 1}: loss {loss.item():.3f}")

report = lt.report()
print(
    f"\n{'lap':<16} {'CPU ms':>10} {'device ms':>10} {'CPU peak MiB':>13} {'device peak MiB':>16}"
)
for path in ("step", "step/forward", "step/backward", "step/optimizer"):
    row = report[path]
    peaks = (row.host_memory_peak_max_bytes, row.device_memory_peak_max_bytes)
    on_cpu, there = ("–" if peak is None else f"{peak / 2**20:.2f}" for peak in peaks)
    on_device = "–" if row.device_ns is None else f"{row.device_ns / 1e6:.2f}"
    print(f"{path:<16} {row.total_ns / 1e6:>10.2f} {on_device:>10} {on_cpu:>13} {there:>16}")
print("device:", report["step"].why("device_ns") or "timed by its own events")
print("its memory:", report["step"].why("device_memory_peak_max_bytes") or "by its allocator")
