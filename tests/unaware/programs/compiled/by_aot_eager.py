"""torch.compile by "aot_eager": how many graphs, breaks and operators, and the results."""
# needs: torch
# subset: no

import torch
from seen import digest, randomness, seed
from torch import nn
from torch._dynamo.utils import counters
from torch.utils.data import DataLoader


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(4, 8), nn.Linear(8, 1)
        self.calls = 0

    def forward(self, x):
        self.calls += 1
        x = self.first(x).relu()
        if x.sum() > 0:
            print("positive")
            x = x + 1
        return self.second(x)


seed(0)
model = Net()
compiled = torch.compile(model, backend="aot_eager")
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
for x in DataLoader(torch.rand(8, 4), batch_size=3):
    optimizer.zero_grad()
    loss = compiled(x).square().mean()
    loss.backward()
    optimizer.step()
    print(loss.item().hex(), model.calls)


@torch.compile(backend="aot_eager", fullgraph=True)
def step(x, y):
    return nn.functional.mse_loss(model.first(x).sum(1), y)


step(torch.ones(2, 4), torch.ones(2)).backward()
explained = torch._dynamo.explain(model)(torch.ones(2, 4))
print(explained.graph_count, explained.graph_break_count, explained.op_count)
print(
    {
        kind: dict(sorted(counters[kind].items()))
        for kind in ("stats", "graph_break", "unimplemented")
    }
)
print(digest(model.state_dict(), model.first.weight.grad), randomness())
