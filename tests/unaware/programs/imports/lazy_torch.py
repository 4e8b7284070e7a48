"""torch imported late: in a function, from a thread, while another thread imports it too."""
# needs: torch
# also: no-auto

import sys
import threading

print("torch" in sys.modules)
got = []


def imports():
    import torch
    import torch.nn.functional as functional

    got.append((torch.ones(2).sum().item(), functional.relu(-torch.ones(1)).item()))


threads = [threading.Thread(target=imports) for _ in range(3)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(got, threading.active_count())


def late():
    from torch.optim import SGD
    from torch.utils.data import DataLoader

    return SGD.__name__, SGD.__module__, DataLoader.__name__


print(late())
