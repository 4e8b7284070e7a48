"""Diffusion: the module that is called adds noise and returns the loss; averaged weights.

After the trainer of lucidrains/denoising-diffusion-pytorch (MIT).
"""

import copy

import torch
from sklearn.datasets import load_digits
from timers import begin, counted, end, timed
from torch import nn
from torch.utils.data import DataLoader

torch.manual_seed(0)
torch.set_num_threads(1)
TIMES, PASSES = 100, 3


class Denoiser(nn.Module):
    def __init__(self, width=32):
        super().__init__()
        self.into = nn.Conv2d(1, width, 3, padding=1)
        self.when = nn.Embedding(TIMES, width)
        self.middle = nn.ModuleList(nn.Conv2d(width, width, 3, padding=1) for _ in range(3))
        self.out = nn.Conv2d(width, 1, 3, padding=1)

    def forward(self, x, time):
        x = self.into(x) + self.when(time)[:, :, None, None]
        for layer in self.middle:
            x = x + layer(nn.functional.silu(x))
        return self.out(x)


class Diffusion(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model
        self.register_buffer("kept", torch.cumprod(1 - torch.linspace(1e-4, 0.1, TIMES), 0))

    def forward(self, images):
        time = torch.randint(TIMES, (len(images),))
        noise, kept = torch.randn_like(images), self.kept[time][:, None, None, None]
        noisy = kept.sqrt() * images + (1 - kept).sqrt() * noise
        return nn.functional.mse_loss(self.model(noisy, time), noise)


def cycle(loader):
    while True:
        yield from loader


diffusion = Diffusion(Denoiser())
average = copy.deepcopy(diffusion)
optimizer = torch.optim.Adam(diffusion.parameters(), lr=1e-4)
images = torch.tensor(load_digits().images, dtype=torch.float32)[:, None] / 8 - 1
loader = DataLoader(images, batch_size=64, shuffle=True, drop_last=True)
batches = cycle(loader)
for step in range(PASSES * len(loader)):
    if step % len(loader) == 0:
        counted("epochs")
    begin("step")
    with timed("data"):
        images = next(batches)
    with timed("forward"):
        loss = diffusion(images)
    with timed("backward"):
        loss.backward()
    nn.utils.clip_grad_norm_(diffusion.parameters(), 1.0)
    with timed("optimizer"):
        optimizer.step()
        optimizer.zero_grad()
    end("step")
    with torch.no_grad():
        for slow, fast in zip(average.parameters(), diffusion.parameters()):
            slow.lerp_(fast, 0.005)
