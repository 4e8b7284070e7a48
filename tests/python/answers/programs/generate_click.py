"""A command that completes a prompt, attending to the whole of it for each new token."""

import click
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        mixed = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        return x + self.out(mixed)


class Completer:
    def __init__(self):
        self.embed = nn.Embedding(300, 192)
        self.blocks = nn.Sequential(*(Block(192) for _ in range(6)))

    def next_token(self, tokens):
        return (self.blocks(self.embed(tokens))[:, -1] @ self.embed.weight.T).argmax(-1)  # cause

    def complete(self, tokens, count):
        for _ in range(count):
            tokens = torch.cat([tokens, self.next_token(tokens)[:, None]], dim=1)
        return tokens


@click.command()
@click.option("--count", default=400)
def cli(count):
    torch.set_num_threads(1)
    with torch.inference_mode():
        click.echo(Completer().complete(torch.zeros(1, 8, dtype=torch.long), count).shape)


if __name__ == "__main__":
    cli()
