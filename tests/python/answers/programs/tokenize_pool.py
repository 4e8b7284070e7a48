"""Trains on text that a pool of threads tokenizes, one batch at a time."""

from concurrent.futures import ThreadPoolExecutor

import torch

TEXT = "to be or not to be that is the question " * 40


class Tokenizer:
    def __init__(self):
        self.words = {}

    def pairs(self, word):
        return [word[at : at + 2] for at in range(len(word))]

    def encode(self, text):
        ids = []
        for word in text.split():
            for pair in self.pairs(word):  # cause
                ids.append(self.words.setdefault(pair, len(self.words)))  # cause
        return ids


def train(pool, tokenizer):
    model = torch.nn.EmbeddingBag(5000, 2)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _step in range(80):
        rows = list(pool.map(tokenizer.encode, [TEXT] * 32))
        loss = model(torch.tensor(rows)).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    torch.set_num_threads(1)
    with ThreadPoolExecutor(4) as pool:
        train(pool, Tokenizer())
