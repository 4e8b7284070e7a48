"""Self-supervised: two views of every image, each is to find the other in the batch.

After the loop of sthalles/SimCLR (MIT).
"""

import torch
from sklearn.datasets import load_digits
from timers import counted, end, fetched, timed
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)
WARMTH = 0.07


class Views(Dataset):
    def __init__(self):
        self.images = torch.tensor(load_digits().images, dtype=torch.float32)[:, None] / 16

    def __len__(self):
        return 1024

    def __getitem__(self, index):
        return [self.view(self.images[index]) for _ in range(2)]

    def view(self, image):
        shift = torch.randint(-1, 2, (2,)).tolist()
        return image.roll(shift, (1, 2)) * torch.rand(1) + 0.1 * torch.randn(1, 8, 8)


def pairs(features):
    """The similarity of each to its other view, before those to all other images."""
    count = len(features) // 2
    same = torch.arange(count).repeat(2)
    same = same[:, None] == same
    features = nn.functional.normalize(features, dim=1)
    close = features @ features.T
    others = ~torch.eye(2 * count, dtype=torch.bool)
    same, close = same[others].view(2 * count, -1), close[others].view(2 * count, -1)
    logits = torch.cat([close[same].view(2 * count, -1), close[~same].view(2 * count, -1)], 1)
    return logits / WARMTH, torch.zeros(2 * count, dtype=torch.long)


model = nn.Sequential(
    nn.Conv2d(1, 32, 3, padding=1),
    nn.ReLU(),
    nn.Conv2d(32, 64, 3, padding=1),
    nn.ReLU(),
    nn.AdaptiveAvgPool2d(2),
    nn.Flatten(),
    nn.Linear(256, 64),
)
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=3e-4, weight_decay=1e-4)
loader = DataLoader(Views(), batch_size=64, shuffle=True, drop_last=True)
scheduler = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=len(loader))
for _ in range(4):
    counted("epochs")
    for views in fetched(loader):
        images = torch.cat(views)
        with timed("forward"):
            features = model(images)
        logits, labels = pairs(features)
        with timed("forward", counts=False):
            loss = criterion(logits, labels)
        with timed("optimizer", counts=False):
            optimizer.zero_grad()
        with timed("backward"):
            loss.backward()
        with timed("optimizer"):
            optimizer.step()
        end("step")
    scheduler.step()
