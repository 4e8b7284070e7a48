"""Mixed precision: autocast to bfloat16 and a gradient scaler that is switched off.

After the recipe `amp_recipe.py` of pytorch/tutorials (BSD-3-Clause), which has no loader.
"""

import torch
from timers import begin, end, timed
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
BATCH, WIDTH, LAYERS, BATCHES = 128, 512, 3, 20


def make_model(given, made, layers):
    parts = []
    for _ in range(layers - 1):
        parts += [nn.Linear(given, given), nn.ReLU()]
    return nn.Sequential(*parts, nn.Linear(given, made))


data = [torch.randn(BATCH, WIDTH) for _ in range(BATCHES)]
targets = [torch.randn(BATCH, WIDTH) for _ in range(BATCHES)]
criterion = nn.MSELoss()
model = make_model(WIDTH, WIDTH, LAYERS)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
scaler = torch.amp.GradScaler("cpu", enabled=False)
for _ in range(6):
    for given, target in zip(data, targets):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            begin("step")
            with timed("forward"):
                output = model(given)
                loss = criterion(output, target)
        scaled = scaler.scale(loss)
        with timed("backward"):
            scaled.backward()
        with timed("optimizer", counts=False):
            scaler.unscale_(optimizer)
        nn.utils.clip_grad_norm_(model.parameters(), 0.1)
        with timed("optimizer"):
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()
        end("step")
