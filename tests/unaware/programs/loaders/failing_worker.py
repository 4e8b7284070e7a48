"""Workers that raise: the traceback that the loader hands over, and one that is killed."""
# needs: torch

import os
import re
import signal
import traceback

import torch
from torch.utils.data import DataLoader, Dataset


class Fails(Dataset):
    def __init__(self, how):
        self.how = how

    def __len__(self):
        return 6

    def __getitem__(self, number):
        if number == 3:
            self.how()
        return torch.tensor(number)


def raises():
    raise KeyError("no such item")


def dies():
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    for how in (raises, dies):
        for start in ("fork", "forkserver"):
            loader = DataLoader(Fails(how), num_workers=1, multiprocessing_context=start)
            try:
                print([batch.item() for batch in loader])
            except Exception:
                print(re.sub(r"\(pids? [^)]*\)", "(pid)", traceback.format_exc()))
