"""A training that waits for its data: each sample is decoded by hand, without loader workers."""

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Decoded(Dataset):
    """Samples that take about a millisecond to decode."""

    def __len__(self):
        return 640

    def __getitem__(self, index):
        random = torch.Generator().manual_seed(index)
        pixels = [int(value) for value in torch.randint(256, (4096,), generator=random)]
        return torch.tensor(pixels, dtype=torch.float32) / 255, index % 10


torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(4096, 64), nn.ReLU(), nn.Linear(64, 10))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for samples, labels in DataLoader(Decoded(), batch_size=8):
    optimizer.zero_grad()
    loss = nn.functional.cross_entropy(model(samples), labels)
    loss.backward()
    optimizer.step()
