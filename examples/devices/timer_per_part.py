"""A timer for each part of a step, by hand: one of the host's clock, one of the device's.

    python examples/devices/timer_per_part.py

Nothing waits between the parts. A duration waits for the device when somebody uses it, as
`summary()` does at the end.
"""

import torch
from sklearn.datasets import load_digits
from torch import nn

import laptime as lt

device = "cuda" if torch.cuda.is_available() else "cpu"
digits = load_digits()
images = torch.tensor(digits.data / 16, dtype=torch.float32)
labels = torch.tensor(digits.target)

model = nn.Sequential(nn.Linear(64, 256), nn.ReLU(), nn.Linear(256, 10)).to(device)
loss_function = nn.CrossEntropyLoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

timers = lt.Timer("CPU"), lt.Timer("device", device="cuda")


def switch(stops, starts):
    """Ends a part and begins the next one; None is none."""
    for timer in timers:
        if stops:
            timer.stop(stops)
        if starts:
            timer.start(starts)


for _ in range(10):
    for x, y in zip(images.split(256), labels.split(256)):
        switch(None, "copy")
        x, y = x.to(device), y.to(device)
        switch("copy", "forward")
        loss = loss_function(model(x), y)
        switch("forward", "backward")
        loss.backward()
        switch("backward", "update")
        optimizer.step()
        optimizer.zero_grad()
        switch("update", None)

cpu, on_device = (timer.summary() for timer in timers)
print(f"{'part':<10} {'count':>6} {'CPU ms':>10} {'device ms':>10}")
for part in ("copy", "forward", "backward", "update"):
    row, there = cpu[part], on_device[part].device_ns
    ms = "–" if there is None else f"{there / 1e6:.2f}"
    print(f"{part:<10} {row.count:>6} {row.total_ns / 1e6:>10.2f} {ms:>10}")
print("device:", on_device["forward"].why("device_ns") or "timed by its own events")
