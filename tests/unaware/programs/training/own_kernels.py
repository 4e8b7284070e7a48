"""Layers whose operators are made of others, but have kernels of their own: as in diffusion."""
# needs: torch

import torch
from seen import digest, randomness, seed
from torch import nn


class Asked(torch.Tensor):
    """Counts what is asked of it."""

    questions = 0

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        cls.questions += 1
        return super().__torch_function__(function, types, args, kwargs)


seed(0)
model = nn.Sequential(
    nn.Conv2d(4, 8, 3, padding=1),
    nn.BatchNorm2d(8),
    nn.SiLU(),
    nn.ChannelShuffle(2),
    nn.Upsample(scale_factor=1.7, mode="nearest"),
    nn.Conv2d(8, 8, 3),
    nn.Mish(),
    nn.Upsample(scale_factor=0.6, mode="nearest-exact"),
    nn.Flatten(),
    nn.LazyLinear(3),
)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
for _ in range(3):
    optimizer.zero_grad()
    loss = model(torch.randn(5, 4, 12, 12)).square().mean()
    loss.backward()
    print(digest(loss), digest([parameter.grad for parameter in model.parameters()]))
    optimizer.step()
model.eval()
with torch.inference_mode():
    print(digest(model(torch.randn(2, 4, 12, 12))), digest(model.state_dict()))
    model(torch.randn(2, 4, 12, 12).as_subclass(Asked))
    print(Asked.questions)
loss = model(torch.randn(2, 4, 12, 12).as_subclass(Asked)).square().mean()
loss.backward()
print(Asked.questions)
print(randomness())
