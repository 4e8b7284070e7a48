"""Policy gradient: an episode of forwards, then one backward and one update.

After the loop of pytorch/examples `reinforcement_learning/reinforce.py` (BSD-3-Clause).
"""

import torch
from timers import begin, end, timed
from torch import nn
from torch.distributions import Categorical

torch.manual_seed(0)
torch.set_num_threads(1)
CARTS, MOVES, DISCOUNT = 64, 40, 0.97


class Policy(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU())
        self.choose = nn.Linear(512, 2)

    def forward(self, state):
        return self.choose(self.body(state))


def pushed(state, action):
    """Where the carts and their poles are a moment later, and which poles still stand."""
    place, speed, angle, turn = state.unbind(1)
    push = action.float() * 2 - 1
    speed, turn = speed + 0.1 * push, turn + 0.2 * angle.sin() - 0.1 * push
    state = torch.stack([place + 0.1 * speed, speed, angle + 0.1 * turn, turn], 1)
    return state, (state[:, 2].abs() < 0.3).float()


policy = Policy()
optimizer = torch.optim.Adam(policy.parameters(), lr=1e-3)
for _ in range(40):
    state = torch.rand(CARTS, 4) * 0.1 - 0.05
    chances, rewards = [], []
    for move in range(MOVES):
        begin("step")
        with timed("forward", counts=move == 0):
            logits = policy(state)
        choice = Categorical(logits=logits)
        action = choice.sample()
        chances.append(choice.log_prob(action))
        state, reward = pushed(state, action)
        rewards.append(reward)
    value, values = torch.zeros(CARTS), []
    for reward in reversed(rewards):
        value = reward + DISCOUNT * value
        values.insert(0, value)
    values = torch.stack(values)
    values = (values - values.mean()) / (values.std() + 1e-6)
    loss = -(torch.stack(chances) * values).sum(0).mean()
    with timed("optimizer", counts=False):
        optimizer.zero_grad()
    with timed("backward"):
        loss.backward()
    with timed("optimizer"):
        optimizer.step()
    end("step")
