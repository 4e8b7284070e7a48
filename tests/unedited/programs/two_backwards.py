"""Two tasks: a backward for each loss, and gradients that don't work against each other.

After `pcgrad.py` of WeiChengTseng/Pytorch-PCGrad (BSD-3-Clause).
"""

import torch
from sklearn.datasets import load_digits
from timers import counted, end, fetched, timed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)


class Both(nn.Module):
    def __init__(self, width=768):
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(64, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.digit, self.odd = nn.Linear(width, 10), nn.Linear(width, 1)

    def forward(self, x):
        x = self.body(x)
        return self.digit(x), self.odd(x)[:, 0]


def gradients(model):
    """All gradients as one vector; what the task has nothing to do with is zero."""
    parts = [torch.zeros_like(p) if p.grad is None else p.grad.clone() for p in model.parameters()]
    return torch.cat([part.flatten() for part in parts])


def projected(one, other):
    """A gradient without what works against the other."""
    against = torch.dot(one, other)
    return one - against / other.norm() ** 2 * other if against < 0 else one


model = Both()
of_digit, of_odd = nn.CrossEntropyLoss(), nn.BCEWithLogitsLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
images, labels = load_digits(return_X_y=True)
images, labels = torch.tensor(images, dtype=torch.float32) / 16, torch.tensor(labels)
loader = DataLoader(TensorDataset(images, labels), batch_size=128, shuffle=True)
for _ in range(10):
    counted("epochs")
    for images, labels in fetched(loader):
        odd = labels.remainder(2).float()
        with timed("forward"):
            digits, parity = model(images)
            losses = of_digit(digits, labels), of_odd(parity, odd)
        found = []
        for loss in losses:
            with timed("optimizer", counts=False):
                optimizer.zero_grad()
            with timed("backward"):
                loss.backward(retain_graph=True)
            found.append(gradients(model))
        merged = projected(found[0], found[1]) + projected(found[1], found[0])
        sizes = [parameter.numel() for parameter in model.parameters()]
        for parameter, part in zip(model.parameters(), merged.split(sizes)):
            parameter.grad = part.view_as(parameter)
        with timed("optimizer"):
            optimizer.step()
        end("step")
