"""A training with its accuracy: what training costs, what the evaluation, and when it was good.

    python examples/devices/accuracy.py

The accuracy is a metric of the recording, so it can be asked when it was reached:

    laptime report accuracy.lap --until 'accuracy >= 0.9'
"""

import torch
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

import laptime as lt

torch.manual_seed(0)
device = "cuda" if torch.cuda.is_available() else "cpu"
digits = load_digits()
images = torch.tensor(digits.data / 16, dtype=torch.float32)
labels = torch.tensor(digits.target)
train = DataLoader(TensorDataset(images[:1440], labels[:1440]), batch_size=64, shuffle=True)
test = DataLoader(TensorDataset(images[1440:], labels[1440:]), batch_size=357)

model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10)).to(device)
loss_function = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)

with lt.record("accuracy.lap", phases=True, force=True):
    for epoch in range(10):
        for x, y in train:
            loss = loss_function(model(x.to(device)), y.to(device))
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
        with torch.no_grad():
            for x, y in test:
                right = (model(x.to(device)).argmax(1) == y.to(device)).sum()
        accuracy = right.item() / len(labels[1440:])
        lt.metric("accuracy", accuracy)
        print(f"epoch {epoch + 1}: accuracy {accuracy:.1%}")

report = lt.report()
print(f"\n{'lap':<20} {'count':>6} {'CPU ms':>10} {'device ms':>10}")
for path in ("step", "step/forward", "step/backward", "step/optimizer", "evaluation/forward"):
    row = report[path]
    on_device = "–" if row.device_ns is None else f"{row.device_ns / 1e6:.2f}"
    print(f"{path:<20} {row.count:>6} {row.total_ns / 1e6:>10.2f} {on_device:>10}")
print("device:", report["step"].why("device_ns") or "timed by its own events")
