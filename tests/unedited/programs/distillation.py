"""Distillation: a teacher without gradients answers first, then the student learns from both.

After the loop of haitongli/knowledge-distillation-pytorch (MIT).
"""

import torch
from sklearn.datasets import load_digits
from timers import counted, end, fetched, timed
from torch import nn
from torch.nn.functional import cross_entropy, log_softmax, softmax
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
HEAT, SHARE = 4.0, 0.9


def network(width):
    return nn.Sequential(
        nn.Linear(64, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU(), nn.Linear(width, 10)
    )


def evaluate(model, loader):
    model.eval()
    right = 0
    with torch.no_grad():
        for images, labels in fetched(loader, "evaluation"):
            right += (model(images).argmax(1) == labels).sum().item()
    return right


teacher, student = network(1024), network(512)
teacher.eval()
optimizer = torch.optim.Adam(student.parameters(), lr=1e-3)
between = nn.KLDivLoss(reduction="batchmean")
images, labels = load_digits(return_X_y=True)
images = torch.tensor(images, dtype=torch.float32) / 16
digits = TensorDataset(images, torch.tensor(labels))
train, held_out = torch.utils.data.random_split(digits, [1536, 261])
train = DataLoader(train, batch_size=128, shuffle=True)
held_out = DataLoader(held_out, batch_size=64)
best = 0
for _ in range(10):
    counted("epochs")
    student.train()
    for images, labels in fetched(train):
        with torch.no_grad(), timed("forward"):
            told = teacher(images)
        with timed("forward", counts=False):
            output = student(images)
        own, given = log_softmax(output / HEAT, 1), softmax(told / HEAT, 1)
        with timed("forward", counts=False):
            loss = between(own, given)
        loss = loss * SHARE * HEAT**2 + cross_entropy(output, labels) * (1 - SHARE)
        with timed("optimizer", counts=False):
            optimizer.zero_grad()
        with timed("backward"):
            loss.backward()
        with timed("optimizer"):
            optimizer.step()
        end("step")
    best = max(best, evaluate(student, held_out))
