"""Workers that raise: the traceback that the loader hands over, and one that is killed."""
# needs: torch

import gc
import os
import signal
import traceback

from torch.utils.data import DataLoader, Dataset


class Fails(Dataset):
    def __init__(self, how):
        self.how = how

    def __len__(self):
        return 6

    def __getitem__(self, number):
        if number == 3:
            self.how()
        return number


def raises():
    raise KeyError("no such item")


def dies():
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    for start in ("fork", "forkserver"):
        loader = DataLoader(
            Fails(raises), None, num_workers=1, multiprocessing_context=start, collate_fn=int
        )
        try:
            print(list(loader))
        except KeyError:
            print(traceback.format_exc())
        # The loader lies in a cycle with its error, and complains wherever the collector finds it:
        # in the next worker, as often as not.
        gc.collect()
    try:
        list(DataLoader(Fails(dies), None, num_workers=1, collate_fn=int))
    except RuntimeError as error:  # Raised where the signal of its end finds the program.
        print(type(error).__name__)
