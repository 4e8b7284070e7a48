"""Two loader workers by spawn, persistent over epochs, with seeds and an init function."""
# needs: torch
# subset: no

import random

import torch
from seen import digest, randomness, seed
from torch.utils.data import DataLoader, Dataset, get_worker_info


class Noisy(Dataset):
    def __len__(self):
        return 12

    def __getitem__(self, number):
        info = get_worker_info()
        return number, info.id, info.seed % 1000, random.random(), torch.rand(2)


def begin(worker):
    random.seed(worker)


if __name__ == "__main__":
    seed(0)
    for persistent in (False, True):
        loader = DataLoader(
            Noisy(),
            batch_size=3,
            num_workers=2,
            worker_init_fn=begin,
            persistent_workers=persistent,
            multiprocessing_context="spawn",
        )
        for epoch in range(2):
            for batch in loader:
                print(epoch, batch[0].tolist(), batch[1].tolist(), digest(batch))
        del loader
    print(randomness())
