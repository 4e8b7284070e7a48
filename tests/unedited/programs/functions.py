"""A variational autoencoder of functions and of `decoder.forward`: no module is ever called.

After the functions of `nn_tutorial.py` of pytorch/tutorials (BSD-3-Clause), with an optimizer.
"""

import torch
from sklearn.datasets import load_digits
from timers import counted, end, fetched, timed
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits, linear
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
PIXELS, WIDTH, HIDDEN = 64, 1024, 16


def weight(made, given):
    return (torch.randn(made, given) * (2 / given) ** 0.5).requires_grad_()


into, middle = weight(WIDTH, PIXELS), weight(WIDTH, WIDTH)
to_mean, to_spread = weight(HIDDEN, WIDTH), weight(HIDDEN, WIDTH)


def encode(x):
    hidden = linear(linear(x, into).relu(), middle).relu()
    return linear(hidden, to_mean), linear(hidden, to_spread)


class Decoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.into = nn.Parameter(weight(WIDTH, HIDDEN).detach())
        self.out = nn.Parameter(weight(PIXELS, WIDTH).detach())

    def forward(self, z):
        return linear(linear(z, self.into).relu(), self.out)


decoder = Decoder()
solver = torch.optim.Adam([into, middle, to_mean, to_spread, *decoder.parameters()], lr=1e-3)
images = torch.tensor(load_digits().data, dtype=torch.float32) / 16
loader = DataLoader(images, batch_size=256, shuffle=True)
for _ in range(10):
    counted("epochs")
    for x in fetched(loader):
        with timed("forward"):
            mean, spread = encode(x)
            z = mean + (spread / 2).exp() * torch.randn_like(mean)
            found = decoder.forward(z)
            exact = binary_cross_entropy_with_logits(found, x, reduction="sum") / len(x)
            simple = 0.5 * (spread.exp() + mean**2 - 1 - spread).sum(1).mean()
            loss = exact + simple
        with timed("backward"):
            loss.backward()
        with timed("optimizer"):
            solver.step()
            solver.zero_grad()
        end("step")
