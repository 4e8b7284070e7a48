"""A project with a `torch.py` of its own, nothing like the real one."""

import torch

print(torch.ignite("torch"), sorted(name for name in dir(torch) if not name.startswith("__")))
print(torch.__spec__.name, type(torch.__loader__).__name__, torch.__loader__.name)
print(sorted(vars(torch.__loader__)))
