"""Trains on text that it tokenizes anew for each batch."""

import re

import torch

TEXT = "the quick brown fox jumps over the lazy dog, again and again; " * 12


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = torch.nn.Sequential(
        torch.nn.EmbeddingBag(5000, 64), torch.nn.ReLU(), torch.nn.Linear(64, 2)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    words = {}
    for _step in range(100):
        rows = []
        for _ in range(32):
            found = re.findall(r"\w+|[^\w\s]", TEXT)  # cause
            pieces = [word[at : at + 3] for word in found for at in range(0, len(word), 3)]  # cause
            rows.append([words.setdefault(piece, len(words)) for piece in pieces])  # cause
        loss = torch.nn.functional.cross_entropy(
            model(torch.tensor(rows)), torch.zeros(32, dtype=torch.long)
        )
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
