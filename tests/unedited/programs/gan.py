"""A convolutional GAN: two networks, two optimizers, images detached between them.

After the loop of pytorch/examples `dcgan` (BSD-3-Clause).
"""

import torch
from sklearn.datasets import load_digits
from timers import begin, counted, end, fetched, timed
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
NOISE = 32

generator = nn.Sequential(
    nn.ConvTranspose2d(NOISE, 64, 2),
    nn.BatchNorm2d(64),
    nn.ReLU(),
    nn.ConvTranspose2d(64, 32, 4, 2, 1),
    nn.BatchNorm2d(32),
    nn.ReLU(),
    nn.ConvTranspose2d(32, 1, 4, 2, 1),
    nn.Tanh(),
)
critic = nn.Sequential(
    nn.Conv2d(1, 32, 3, 1, 1),
    nn.LeakyReLU(0.2),
    nn.Conv2d(32, 64, 4, 2, 1),
    nn.LeakyReLU(0.2),
    nn.Conv2d(64, 1, 4),
    nn.Flatten(0),
)
criterion = nn.BCEWithLogitsLoss()
of_critic = torch.optim.Adam(critic.parameters(), lr=2e-4, betas=(0.5, 0.999))
of_generator = torch.optim.Adam(generator.parameters(), lr=2e-4, betas=(0.5, 0.999))
images = torch.tensor(load_digits().images, dtype=torch.float32)[:, None] / 8 - 1
loader = DataLoader(TensorDataset(images), batch_size=64, shuffle=True, drop_last=True)

for _ in range(4):
    counted("epochs")
    for (real,) in fetched(loader):
        label = torch.ones(len(real))
        with timed("optimizer", counts=False):
            critic.zero_grad()
        with timed("forward"):
            loss = criterion(critic(real), label)
        with timed("backward"):
            loss.backward()
        noise = torch.randn(len(real), NOISE, 1, 1)
        with timed("forward"):
            fake = generator(noise)
        label.fill_(0)
        detached = fake.detach()
        with timed("forward", counts=False):
            loss = criterion(critic(detached), label)
        with timed("backward"):
            loss.backward()
        with timed("optimizer"):
            of_critic.step()
        end("step")

        label.fill_(1)
        begin("step")
        with timed("optimizer", counts=False):
            generator.zero_grad()
        with timed("forward"):
            loss = criterion(critic(fake), label)
        with timed("backward"):
            loss.backward()
        with timed("optimizer"):
            of_generator.step()
        end("step", counts=False)
