"""Loaders that are unhashable, equal to everything, subclassed with an __iter__ of their own."""
# needs: torch

import copy
import pickle

import torch
from torch.utils.data import DataLoader


class Odd(DataLoader):
    __hash__ = None

    def __eq__(self, other):
        raise TypeError("not to be compared")

    def __bool__(self):
        raise TypeError("neither true nor false")


class Doubles(DataLoader):
    def __iter__(self):
        for batch in super().__iter__():
            yield batch * 2


class Slots(DataLoader):
    def __getattr__(self, name):
        raise RuntimeError(f"asked for {name}")


print([batch.tolist() for batch in Odd(torch.arange(4), batch_size=2)])
print([batch.tolist() for batch in Doubles(torch.arange(4), batch_size=2)])
try:
    print([batch.tolist() for batch in Slots(torch.arange(4), batch_size=2)])
except RuntimeError as error:
    print(error)
loader = DataLoader(torch.arange(4), batch_size=3)
iterator = iter(loader)
next(iterator)
print(
    [b.tolist() for b in copy.deepcopy(loader)],
    [b.tolist() for b in pickle.loads(pickle.dumps(loader))],
)
print(next(iterator), sorted(vars(loader)))
try:
    copy.deepcopy(iterator)
except NotImplementedError as error:
    print(error)
