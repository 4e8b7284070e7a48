"""Everything copied, pickled and saved in the middle of a training, and trained on in the copy."""
# needs: torch

import copy
import io
import pickle

import torch
from seen import digest, randomness, seed
from torch import nn
from torch.utils.data import DataLoader


class Net(nn.Sequential):
    pass


def train(model, optimizer, loader):
    for x in loader:
        optimizer.zero_grad()
        model(x).square().sum().backward()
        optimizer.step()


seed(0)
model = Net(nn.Linear(3, 3), nn.ReLU())
optimizer = torch.optim.Adam(model.parameters())
loader = DataLoader(torch.randn(6, 3), batch_size=2, shuffle=True)
for x in loader:
    optimizer.zero_grad()
    loss = model(x).square().sum()
    both = copy.deepcopy((model, optimizer))
    loss.backward()
    optimizer.step()
    both_after = pickle.loads(pickle.dumps((model, optimizer, loader)))
train(*both, loader)
train(*both_after)
buffer = io.BytesIO()
torch.save((model, optimizer, loader), buffer)
buffer.seek(0)
train(*torch.load(buffer, weights_only=False))
print(
    digest(
        model.state_dict(), optimizer.state_dict(), both[0].state_dict(), both_after[0].state_dict()
    )
)
print(len(pickle.dumps(model)), len(pickle.dumps(optimizer)), len(pickle.dumps(loader)))
for thing in (
    torch.autograd.backward,
    torch.autograd.grad,
    nn.Module.__call__,
    torch.optim.Adam.step,
    torch.optim.SGD.zero_grad,
    DataLoader.__iter__,
    nn.Linear,
    torch.Tensor.backward,
    torch.load,
    torch.no_grad,
    torch.utils.data.dataloader._BaseDataLoaderIter.__next__,
):
    print(
        pickle.dumps(thing), pickle.loads(pickle.dumps(thing)) is thing, copy.copy(thing) is thing
    )
print(sorted(vars(model)), sorted(vars(optimizer)), randomness())
