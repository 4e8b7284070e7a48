"""Meta-learning: an inner loop by `torch.autograd.grad`, gradients through all of it.

After dragen1860/MAML-Pytorch (MIT), whose network is called with the weights of the inner loop.
"""

import itertools

import torch
from sklearn.datasets import load_digits
from timers import begin, end, timed
from torch import nn
from torch.nn.functional import cross_entropy, linear

torch.manual_seed(0)
torch.set_num_threads(1)
TASKS, WAYS, SHOTS, QUERIES, INNER_STEPS = 2, 5, 20, 20, 3

images, labels = load_digits(return_X_y=True)
images, labels = torch.tensor(images, dtype=torch.float32) / 16, torch.tensor(labels)
of_label = [images[labels == label] for label in range(10)]


def episode():
    """A task of its own: some digits, some examples of each, and what to ask afterwards."""
    support, query = [], []
    for label in torch.randperm(10)[:WAYS].tolist():
        chosen = of_label[label][torch.randperm(len(of_label[label]))[: SHOTS + QUERIES]]
        support.append(chosen[:SHOTS])
        query.append(chosen[SHOTS:])
    ways = torch.arange(WAYS)
    return (
        torch.cat(support),
        ways.repeat_interleave(SHOTS),
        torch.cat(query),
        ways.repeat_interleave(QUERIES),
    )


class Learner(nn.Module):
    def __init__(self, *widths):
        super().__init__()
        self.weights = nn.ParameterList(
            nn.Parameter(torch.randn(made, given) * (2 / given) ** 0.5)
            for given, made in itertools.pairwise(widths)
        )

    def forward(self, x, weights=None):
        *inner, last = weights or self.weights
        for weight in inner:
            x = linear(x, weight).relu()
        return linear(x, last)


net = Learner(64, 512, 512, WAYS)
optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
for _ in range(30):
    episodes = [episode() for _ in range(TASKS)]
    begin("step")
    with timed("optimizer", counts=False):
        optimizer.zero_grad()
    for support, support_labels, query, query_labels in episodes:
        weights = list(net.parameters())
        for _ in range(INNER_STEPS):
            with timed("forward"):
                output = net(support, weights)
            loss = cross_entropy(output, support_labels)
            with timed("backward"):
                slopes = torch.autograd.grad(loss, weights, create_graph=True)
            weights = [weight - 0.1 * slope for weight, slope in zip(weights, slopes)]
        with timed("forward"):
            output = net(query, weights)
        loss = cross_entropy(output, query_labels)
        with timed("backward"):
            loss.backward()
    with timed("optimizer"):
        optimizer.step()
    end("step")
