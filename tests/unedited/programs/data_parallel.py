"""Two processes that average their gradients.

After `distributed/ddp-tutorial-series/multigpu.py` of pytorch/examples (BSD-3-Clause).
"""

import os

import torch
import torch.multiprocessing as mp
from sklearn.datasets import load_digits
from timers import counted, end, fetched, timed, write
from torch import distributed, nn
from torch.nn.functional import cross_entropy
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler

WIDTH = 768


class Trainer:
    def __init__(self, model, loader, optimizer):
        self.model = DistributedDataParallel(model)
        self.loader, self.optimizer = loader, optimizer

    def run_batch(self, images, labels):
        with timed("optimizer", counts=False):
            self.optimizer.zero_grad()
        with timed("forward"):
            output = self.model(images)
        loss = cross_entropy(output, labels)
        with timed("backward"):
            loss.backward()
        with timed("optimizer"):
            self.optimizer.step()
        end("step")

    def train(self, epochs):
        for epoch in range(epochs):
            if distributed.get_rank() == 0:
                counted("epochs")
            self.loader.sampler.set_epoch(epoch)
            for images, labels in fetched(self.loader):
                self.run_batch(images, labels)


def main(rank, world_size, meeting_point):
    torch.manual_seed(0)
    torch.set_num_threads(1)
    distributed.init_process_group(
        "gloo", init_method=f"file://{meeting_point}", rank=rank, world_size=world_size
    )
    images, labels = load_digits(return_X_y=True)
    images = torch.tensor(images, dtype=torch.float32) / 16
    digits = TensorDataset(images, torch.tensor(labels))
    sampler = DistributedSampler(digits, world_size, rank)
    loader = DataLoader(digits, batch_size=64, sampler=sampler)
    model = nn.Sequential(
        nn.Linear(64, WIDTH), nn.ReLU(), nn.Linear(WIDTH, WIDTH), nn.ReLU(), nn.Linear(WIDTH, 10)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05)
    Trainer(model, loader, optimizer).train(6)
    distributed.destroy_process_group()
    write()


if __name__ == "__main__":
    mp.spawn(main, args=(2, os.path.abspath("meeting point")), nprocs=2)
