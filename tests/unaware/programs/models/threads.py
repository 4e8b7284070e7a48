"""Models called from several threads, trained in one, evaluated in others, with their own modes."""
# needs: torch

import threading
from concurrent.futures import ThreadPoolExecutor

import torch
from seen import digest, randomness, seed
from torch import nn

seed(0)
shared = nn.Sequential(nn.Linear(3, 3), nn.Tanh()).eval()
x = torch.randn(4, 3)


def train(number):
    model = nn.Linear(3, 1)
    nn.init.constant_(model.weight, number)
    nn.init.zeros_(model.bias)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for _ in range(5):
        optimizer.zero_grad()
        nn.parallel.replicate
        model(shared(x)).square().mean().backward()
        optimizer.step()
    return digest(model.state_dict())


def evaluate(number):
    with torch.inference_mode(number % 2 == 0):
        return shared(x).requires_grad, torch.is_grad_enabled(), digest(shared(x))


with ThreadPoolExecutor(3) as pool:
    print(list(pool.map(train, range(6))))
    print(list(pool.map(evaluate, range(6))))
seen = []
out = shared(x).sum()
out.register_hook(lambda grad: seen.append(threading.current_thread().name))
out.backward()
print(seen, torch.is_grad_enabled(), threading.active_count(), randomness())
