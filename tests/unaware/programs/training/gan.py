"""A GAN: two models, two optimizers, a gradient penalty by autograd.grad with create_graph."""
# needs: torch

import torch
from seen import digest, randomness, seed
from torch import nn

seed(0)
generator = nn.Sequential(nn.Linear(4, 16), nn.LeakyReLU(), nn.Linear(16, 2))
critic = nn.Sequential(nn.Linear(2, 16), nn.LeakyReLU(), nn.Linear(16, 1))
of_generator = torch.optim.RMSprop(generator.parameters(), lr=0.01)
of_critic = torch.optim.RMSprop(critic.parameters(), lr=0.01)
for step in range(6):
    real = torch.randn(8, 2) + 3
    fake = generator(torch.randn(8, 4))
    between = (0.3 * real + 0.7 * fake.detach()).requires_grad_()
    (slope,) = torch.autograd.grad(critic(between).sum(), between, create_graph=True)
    penalty = (slope.norm(dim=1) - 1).square().mean()
    loss = critic(fake.detach()).mean() - critic(real).mean() + 10 * penalty
    of_critic.zero_grad(set_to_none=False)
    loss.backward()
    of_critic.step()
    if step % 2:
        of_generator.zero_grad()
        (-critic(generator(torch.randn(8, 4))).mean()).backward()
        of_generator.step()
    print(step, loss.item().hex(), penalty.item().hex())
print(digest(generator.state_dict(), critic.state_dict()), randomness())
