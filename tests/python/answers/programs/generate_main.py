"""Generates text, with the whole text through the model for each new token."""

import torch
from torch import nn


class Model(nn.Module):
    def __init__(self, width=128, words=500):
        super().__init__()
        self.words = nn.Embedding(words, width)
        layer = nn.TransformerEncoderLayer(width, 4, 4 * width, batch_first=True, dropout=0.0)
        self.layers = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(width, words)

    def forward(self, tokens):
        return self.head(self.layers(self.words(tokens)))


def main():
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = Model().eval()
    tokens = torch.randint(0, 500, (1, 16))
    with torch.no_grad():
        for _ in range(280):
            logits = model(tokens)  # cause
            tokens = torch.cat([tokens, logits[:, -1:].argmax(-1)], dim=1)
    print(tokens.shape)


if __name__ == "__main__":
    main()
