"""Deep Q-learning: acting without gradients, a replay memory, a target network.

After the loop of pytorch/tutorials `reinforcement_q_learning.py` (BSD-3-Clause).
"""

import random
from collections import deque

import torch
from timers import begin, end, timed
from torch import nn

random.seed(0)
torch.manual_seed(0)
torch.set_num_threads(1)
GAMES, PLACES, ACTIONS, BATCH = 16, 32, 4, 384


def network():
    return nn.Sequential(
        nn.Linear(PLACES, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, ACTIONS)
    )


policy, target = network(), network()
target.load_state_dict(policy.state_dict())
optimizer = torch.optim.AdamW(policy.parameters(), lr=1e-4, amsgrad=True)
criterion = nn.SmoothL1Loss()
memory = deque(maxlen=2_000)


def act(state, move):
    """The best action known in every game, or now and then any."""
    if random.random() < 0.9 * 0.98**move + 0.05:
        return torch.randint(ACTIONS, (GAMES,))
    with torch.no_grad():
        with timed("evaluation"):
            values = policy(state)
        return values.argmax(1)


def optimize():
    """One update from what is remembered."""
    states, actions, following, rewards = zip(*random.sample(memory, BATCH))
    states, following = torch.stack(states), torch.stack(following)
    actions, rewards = torch.stack(actions), torch.tensor(rewards)
    begin("step")
    with timed("forward"):
        values = policy(states)
    values = values.gather(1, actions)
    with torch.no_grad(), timed("forward", counts=False):
        best = target(following)
    expected = rewards + 0.99 * best.max(1).values
    with timed("forward", counts=False):
        loss = criterion(values, expected[:, None])
    with timed("optimizer", counts=False):
        optimizer.zero_grad()
    with timed("backward"):
        loss.backward()
    nn.utils.clip_grad_value_(policy.parameters(), 100)
    with timed("optimizer"):
        optimizer.step()
    end("step")


state = torch.randn(GAMES, PLACES)
for move in range(160):
    action = act(state, move)
    following = (state * action[:, None] / ACTIONS + torch.randn(GAMES, PLACES)).clamp(-3, 3)
    memory.extend(zip(state, action[:, None], following, following[:, 0].tolist()))
    state = following
    if len(memory) < BATCH:
        continue
    optimize()
    with torch.no_grad():
        for slow, fast in zip(target.parameters(), policy.parameters()):
            slow.lerp_(fast, 0.005)
