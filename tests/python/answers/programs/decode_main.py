"""Loader workers decode pictures in Python; the training waits for them."""

import zlib

import torch
from torch.utils.data import DataLoader, Dataset

PICTURES = [zlib.compress(bytes(range(256)) * 12) for _ in range(288)]


class Pictures(Dataset):
    def __len__(self):
        return len(PICTURES)

    def __getitem__(self, index):
        return decode(PICTURES[index])


def decode(packed):
    row, previous = [], 0
    for _ in range(20):
        for value in zlib.decompress(packed):  # cause
            previous = (previous + value * 7) & 255  # cause
            row.append(previous)  # cause
    return torch.tensor(row[:3072]).float() / 255


def main():
    model = torch.nn.Linear(3072, 10)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for batch in DataLoader(Pictures(), batch_size=8, num_workers=2):
        loss = model(batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
