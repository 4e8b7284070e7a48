"""Fully sharded data parallel training (FSDP) on the processor, one and two wrapped layers."""
# needs: torch

import os

import torch
import torch.distributed as dist
import torch.multiprocessing
from seen import digest, seed
from torch import nn
from torch.distributed.fsdp import fully_shard


def work(rank, file):
    dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=2)
    torch.set_num_threads(1)
    seed(0)
    model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2))
    mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (2,))
    for layer in (model[0], model[2]):
        fully_shard(layer, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    for step in range(3):
        optimizer.zero_grad()
        model(torch.full((2, 4), float(rank + step))).square().mean().backward()
        optimizer.step()
    full = {name: value.full_tensor() for name, value in model.state_dict().items()}
    with open(f"rank-{rank}", "w") as said:
        print(type(model).__name__, digest(full), file=said)
    dist.destroy_process_group()


if __name__ == "__main__":
    store = os.path.join(os.environ["TMPDIR"], "store")
    torch.optim.Adam([torch.ones(1)])  # imports the compiler, which the ranks then have
    # By fork, which imports torch once; spawned.py and launched.py start theirs anew.
    torch.multiprocessing.start_processes(work, (store,), nprocs=2, start_method="fork")
    if os.path.exists(store):  # Its last user removes it, where there is one.
        os.remove(store)
    for rank in range(2):
        print(open(f"rank-{rank}").read().strip())
