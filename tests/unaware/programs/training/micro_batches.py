"""Gradient accumulation, a frozen teacher, a moving average of weights, validation in between."""
# needs: torch

import copy

import torch
from seen import digest, randomness, seed
from torch import nn
from torch.optim.swa_utils import AveragedModel
from torch.utils.data import DataLoader

seed(0)
student, teacher = nn.Linear(4, 2), nn.Linear(4, 2).requires_grad_(False).eval()
average = AveragedModel(student)
best = copy.deepcopy(student)
optimizer = torch.optim.AdamW(student.parameters())
loader = DataLoader(torch.randn(40, 4), batch_size=5)
for step, x in enumerate(loader):
    with torch.inference_mode():
        target = teacher(x)
    loss = nn.functional.mse_loss(student(x), target.clone()) / 4
    loss.backward()
    if step % 4 == 3:
        optimizer.step()
        optimizer.zero_grad()
        average.update_parameters(student)
        with torch.no_grad():
            student.eval()
            print(step, sum(student(x).sum() for x in loader).item().hex())
            student.train()
        best.load_state_dict(student.state_dict())
print(digest(student.state_dict(), average.state_dict(), best.state_dict()), randomness())
