"""Hooks on what autograd saves: packed and unpacked in order, offloaded, graph inspected."""
# needs: torch

import torch
from seen import digest, seed
from torch import nn

log = []


def pack(tensor):
    log.append(("pack", tuple(tensor.shape)))
    return tensor.numpy().copy() if not tensor.requires_grad else tensor


def unpack(packed):
    log.append(("unpack", type(packed).__name__))
    return torch.from_numpy(packed) if not isinstance(packed, torch.Tensor) else packed


seed(0)
model = nn.Sequential(nn.Linear(3, 3), nn.Sigmoid(), nn.Linear(3, 1))
with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
    out = model(torch.randn(2, 3)).sum()
out.backward()
print(*log, sep="\n")
print(digest([p.grad for p in model.parameters()]))
with torch.autograd.graph.save_on_cpu():
    out = model(torch.randn(2, 3)).sum()
node, names = out.grad_fn, []
while node is not None:
    names.append((node.name(), sorted(map(str, node.metadata)), len(node.next_functions)))
    node = node.next_functions[-1 if node.name().startswith("Addmm") is False else 1][0]
print(*names, sep="\n")
with (
    torch.autograd.set_multithreading_enabled(False),
    torch.autograd.graph.allow_mutation_on_saved_tensors(),
):
    model(torch.ones(1, 3)).sum().backward()
print(digest([p.grad for p in model.parameters()]))
