"""Detection: in training the model returns a dict of losses, in evaluation it returns boxes.

After `references/detection/engine.py` of pytorch/vision (BSD-3-Clause).
"""

import itertools

import torch
from timers import counted, end, fetched, timed
from torch import nn
from torch.utils.data import DataLoader, Dataset

torch.manual_seed(0)
torch.set_num_threads(1)
SIDE, KINDS = 64, 3


class Scenes(Dataset):
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        image, kind = 0.1 * torch.randn(3, SIDE, SIDE), index % KINDS
        x, y, wide, high = (8 + torch.randint(24, (4,))).tolist()
        image[kind, y : y + high, x : x + wide] += 1
        return image, {"box": torch.tensor([x, y, wide, high]) / SIDE, "kind": torch.tensor(kind)}


class Detector(nn.Module):
    def __init__(self):
        super().__init__()
        layers, widths = [], (3, 32, 64, 128)
        for given, made in itertools.pairwise(widths):
            layers += [nn.Conv2d(given, made, 3, 2, 1), nn.BatchNorm2d(made), nn.ReLU()]
        self.backbone = nn.Sequential(*layers, nn.AdaptiveAvgPool2d(4), nn.Flatten())
        self.kind, self.box = nn.Linear(2048, KINDS), nn.Linear(2048, 4)

    def forward(self, images, targets=None):
        features = self.backbone(torch.stack(images))
        kinds, boxes = self.kind(features), self.box(features)
        if not self.training:
            return list(zip(kinds.argmax(1), boxes))
        wanted = {name: torch.stack([target[name] for target in targets]) for name in targets[0]}
        return {
            "loss_kind": nn.functional.cross_entropy(kinds, wanted["kind"]),
            "loss_box": nn.functional.smooth_l1_loss(boxes, wanted["box"]),
        }


def train_one_epoch(model, optimizer, scheduler, loader):
    model.train()
    for images, targets in fetched(loader):
        with timed("forward"):
            losses = model(images, targets)
        loss = sum(losses.values())
        assert loss.item() < 1e6
        with timed("optimizer", counts=False):
            optimizer.zero_grad()
        with timed("backward"):
            loss.backward()
        with timed("optimizer"):
            optimizer.step()
        end("step")
        scheduler.step()


@torch.inference_mode()
def evaluate(model, loader):
    model.eval()
    for images, targets in fetched(loader, "evaluation"):
        found = model(images)
        sum(int(kind == target["kind"]) for (kind, _), target in zip(found, targets))


model = Detector()
optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, weight_decay=1e-4)
scheduler = torch.optim.lr_scheduler.LinearLR(optimizer, 0.01, total_iters=20)
train = DataLoader(
    Scenes(320), batch_size=16, shuffle=True, collate_fn=lambda batch: tuple(zip(*batch))
)
test = DataLoader(Scenes(64), batch_size=8, collate_fn=lambda batch: tuple(zip(*batch)))
for _ in range(3):
    counted("epochs")
    train_one_epoch(model, optimizer, scheduler, train)
    evaluate(model, test)
