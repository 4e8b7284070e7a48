"""LBFGS, whose closure computes loss and gradients as often as the optimizer wants them.

After `time_sequence_prediction` of pytorch/examples (BSD-3-Clause).
"""

import torch
from timers import begin, end, timed
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
WAVES, LENGTH, WIDTH = 32, 50, 51


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.LSTMCell(1, WIDTH), nn.LSTMCell(WIDTH, WIDTH)
        self.out = nn.Linear(WIDTH, 1)

    def forward(self, waves, future=0):
        one = two = (waves.new_zeros(len(waves), WIDTH),) * 2
        outputs = []
        for value in waves.split(1, 1):
            one = self.first(value, one)
            two = self.second(one[0], two)
            outputs.append(self.out(two[0]))
        for _ in range(future):
            one = self.first(outputs[-1], one)
            two = self.second(one[0], two)
            outputs.append(self.out(two[0]))
        return torch.cat(outputs, 1)


starts = torch.randint(-80, 80, (WAVES, 1))
waves = torch.sin((torch.arange(LENGTH) + starts) / 20.0).double()
test, train = waves[:3], waves[3:]
model = Sequence().double()
criterion = nn.MSELoss()
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.8, max_iter=10)


def closure():
    optimizer.zero_grad()
    end("optimizer", counts=False)
    with timed("forward"):
        output = model(train[:, :-1])
        loss = criterion(output, train[:, 1:])
    with timed("backward"):
        loss.backward()
    begin("optimizer")
    return loss


for _ in range(5):
    begin("step")
    begin("optimizer")
    optimizer.step(closure)
    end("optimizer")
    end("step")
    with torch.no_grad():
        with timed("evaluation"):
            guessed = model(test[:, :-1], future=50)
        known = guessed[:, :-50]
        with timed("evaluation", counts=False):
            loss = criterion(known, test[:, 1:])
        loss.item()
