"""What counting operations costs a training step, once its shapes are known.

    python benches/python/operations.py

Prints the median step of a small network without Laptime's phases, with them, and with operations
joined: in rounds of each by turns, so that what else the machine does hits all alike.
"""

from __future__ import annotations

import statistics
import time

import torch

from laptime.integrations.torch import phases

ROUNDS = 9
STEPS = 200


def main() -> None:
    """Measures by turns and prints medians and ratios."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    net = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    criterion = torch.nn.CrossEntropyLoss()
    x, y = torch.randn(128, 256), torch.zeros(128, dtype=torch.long)

    def step() -> None:
        optimizer.zero_grad()
        criterion(net(x), y).backward()
        optimizer.step()

    def timed() -> float:
        for _ in range(5):
            step()  # counted, where anything is
        start = time.perf_counter()
        for _ in range(STEPS):
            step()
        return (time.perf_counter() - start) / STEPS

    took: dict[str, list[float]] = {"alone": [], "phases": [], "phases and operations": []}
    for _ in range(ROUNDS):
        took["alone"].append(timed())
        with phases():
            took["phases"].append(timed())
        with phases(ops=True):
            took["phases and operations"].append(timed())
    alone = statistics.median(took["alone"])
    for name, seconds in took.items():
        median = statistics.median(seconds)
        print(f"{name:22} {median * 1e6:8.1f} us a step   ratio {median / alone:.3f}")


if __name__ == "__main__":
    main()
