"""An image classifier with clipped gradients and averaged weights, both validated.

After `train.py` of huggingface/pytorch-image-models (Apache-2.0).
"""

import torch
from sklearn.datasets import load_digits
from timers import counted, end, fetched, timed
from torch import nn
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn
from torch.utils.data import DataLoader, TensorDataset, random_split

torch.manual_seed(0)
torch.set_num_threads(1)


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.one = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(width)
        self.two = nn.Conv2d(width, width, 1)

    def forward(self, x):
        return x + self.two(self.norm(self.one(x)).relu())


def validate(model, loader, criterion):
    model.eval()
    losses = []
    with torch.inference_mode():
        for images, labels in fetched(loader, "evaluation"):
            losses.append(criterion(model(images), labels).item())
    return sum(losses) / len(losses)


model = nn.Sequential(
    nn.Conv2d(1, 32, 3, padding=1),
    *(Residual(32) for _ in range(3)),
    nn.AdaptiveAvgPool2d(1),
    nn.Flatten(),
    nn.Linear(32, 10),
)
average = AveragedModel(model, multi_avg_fn=get_ema_multi_avg_fn(0.99), use_buffers=True)
criterion = nn.CrossEntropyLoss(label_smoothing=0.1)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3, weight_decay=0.05)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, 72)
images, labels = load_digits(return_X_y=True)
images = torch.tensor(images, dtype=torch.float32).view(-1, 1, 8, 8) / 16
digits = TensorDataset(images, torch.tensor(labels))
train, held_out = random_split(digits, [1536, 261])
train = DataLoader(train, batch_size=64, shuffle=True, drop_last=True)
held_out = DataLoader(held_out, batch_size=64)
for _ in range(3):
    counted("epochs")
    model.train()
    for images, labels in fetched(train):
        with timed("forward"):
            output = model(images)
            loss = criterion(output, labels)
        with timed("optimizer", counts=False):
            optimizer.zero_grad()
        with timed("backward"):
            loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        with timed("optimizer"):
            optimizer.step()
        end("step")
        average.update_parameters(model)
        scheduler.step()
    validate(model, held_out, criterion)
    validate(average, held_out, criterion)
