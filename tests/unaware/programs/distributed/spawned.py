"""Data parallel training by two processes over gloo, started by torch.multiprocessing.spawn."""
# needs: torch

import os

import torch
import torch.distributed as dist
import torch.multiprocessing
from seen import digest, seed
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, DistributedSampler


def work(rank, file):
    dist.init_process_group("gloo", init_method=f"file://{file}", rank=rank, world_size=2)
    seed(rank)
    model = DistributedDataParallel(nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 1)))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    data = torch.arange(24.0).reshape(8, 3) / 24
    loader = DataLoader(data, batch_size=2, sampler=DistributedSampler(data))
    for epoch in range(2):
        loader.sampler.set_epoch(epoch)
        for step, x in enumerate(loader):
            optimizer.zero_grad()
            if step == 0:
                with model.no_sync():
                    model(x).mean().backward()
            model(x).square().mean().backward()
            optimizer.step()
    with open(f"rank-{rank}", "w") as said:
        print(digest(model.state_dict()), file=said)
    dist.destroy_process_group()


if __name__ == "__main__":
    torch.multiprocessing.spawn(work, (os.path.join(os.environ["TMPDIR"], "store"),), nprocs=2)
    store = os.path.join(os.environ["TMPDIR"], "store")
    if os.path.exists(store):  # Its last user removes it, where there is one.
        os.remove(store)
    for rank in range(2):
        print(open(f"rank-{rank}").read().strip())
