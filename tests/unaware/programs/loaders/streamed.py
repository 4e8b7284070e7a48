"""Iterable data sets, samplers, collation, loaders left half way and iterated twice at once."""
# needs: torch

import gc

import torch
from seen import randomness, seed
from torch.utils.data import BatchSampler, DataLoader, IterableDataset, WeightedRandomSampler


class Stream(IterableDataset):
    def __iter__(self):
        try:
            yield from range(10)
        finally:
            print("closed")


seed(0)
half = iter(DataLoader(Stream(), batch_size=2))
print(next(half), next(half))
del half
gc.collect()
loader = DataLoader(torch.arange(6), sampler=WeightedRandomSampler([1.0] * 6, 6))
print([(a.item(), b.item()) for a, b in zip(loader, loader)])
print(
    [
        b.tolist()
        for b in DataLoader(torch.arange(5), batch_sampler=BatchSampler([4, 1, 2], 2, False))
    ]
)
print(list(DataLoader([1, "a", None], batch_size=None, collate_fn=repr)))
print(len(DataLoader(torch.arange(7), batch_size=2, drop_last=True)), randomness())
iterator = iter(DataLoader([1]))
print(next(iterator), next(iterator, "end"), next(iterator, "end again"))
print(type(iterator).__name__, sorted(vars(iterator)), iterator.__class__.__next__.__qualname__)
