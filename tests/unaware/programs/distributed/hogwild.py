"""Tensors shared between processes: Hogwild training on one model, queues of tensors, failures."""
# needs: torch

import torch
import torch.multiprocessing as multiprocessing
from seen import digest, randomness, seed
from torch import nn


def train(model, there, back, number):
    torch.set_num_threads(1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(3):
        optimizer.zero_grad()
        model(torch.ones(1, 2)).sum().backward()
        optimizer.step()
    there.put(torch.full((3,), number))
    if back.get() is None:
        raise RuntimeError("told to fail")


if __name__ == "__main__":
    seed(0)
    torch.optim.SGD([torch.ones(1)], lr=0.1)  # imports the compiler, which forks then have
    # The second one fails. One that is spawned starts an interpreter anew.
    for start, numbers in (("fork", (0, 1)), ("spawn", (1,))):
        context = multiprocessing.get_context(start)
        model = nn.Linear(2, 1).share_memory()
        for number in numbers:
            there, back = context.SimpleQueue(), context.SimpleQueue()
            process = context.Process(target=train, args=(model, there, back, number))
            process.start()
            print(start, there.get(), model.weight.is_shared())
            back.put(None if number else "go")
            process.join()
            print(process.exitcode, digest(model.state_dict()), flush=True)
    print(randomness())
