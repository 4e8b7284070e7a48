"""What laps, automatic phases and module times cost a whole training step.

The same step runs with and without, in turns, in one process. Prints one JSON object.
"""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import blocks
import torch
from torch import nn

import laptime as lt
from laptime.integrations import _autotorch

#: Steps in a block, and blocks of each kind: about ten seconds a row.
STEPS, ROUNDS = 20, 300
#: Blocks after each switch that are not measured: the interpreter gets used to functions that are
#: watched, or are no more, which a program does once.
SETTLING = 1


def perceptron() -> nn.Module:
    """784-128-10, the smallest network that people train."""
    return nn.Sequential(nn.Linear(784, 128), nn.ReLU(), nn.Linear(128, 10))


def seventy_five_modules() -> nn.Module:
    """25 blocks of three modules."""
    layers: list[nn.Module] = []
    for _ in range(25):
        layers += [nn.Linear(256, 256), nn.LayerNorm(256), nn.ReLU()]
    return nn.Sequential(*layers)


def step_of(model: nn.Module, features: int, classes: int) -> Callable[[bool], None]:
    torch.manual_seed(0)
    inputs, targets = torch.randn(64, features), torch.randint(classes, (64,))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loss_of = nn.CrossEntropyLoss()

    def step(laps: bool) -> None:
        if laps:
            with lt.lap("zero"):
                optimizer.zero_grad()
            with lt.lap("forward"):
                loss = loss_of(model(inputs), targets)
            with lt.lap("backward"):
                loss.backward()
            with lt.lap("optimizer"):
                optimizer.step()
        else:
            optimizer.zero_grad()
            loss = loss_of(model(inputs), targets)
            loss.backward()
            optimizer.step()

    return step


def block(step: Callable[[bool], None], laps: bool = False) -> blocks.Block:
    def run() -> None:
        for _ in range(STEPS):
            step(laps)

    return run


def timed(run: blocks.Block) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def compare(
    plain: blocks.Block,
    loaded: blocks.Block,
    prepare: Callable[[bool], None],
    rounds: int = ROUNDS,
    *,
    settling: int = 0,
    times: int = 1,
) -> dict[str, object]:
    """Alternates, with the hooks put on and taken off outside the measured blocks.

    After each switch `settling` blocks are not measured, then the median of `times` blocks counts.
    """
    taken: dict[bool, list[float]] = {False: [], True: []}
    for number in range(rounds):
        order = (False, True) if number % 2 else (True, False)
        for on in order:
            prepare(on)
            run = loaded if on else plain
            for _ in range(settling or int(number == 0)):
                run()
            taken[on].append(statistics.median(timed(run) for _ in range(times)))
    prepare(False)
    middle, low, high = blocks.ratio(taken[True], taken[False])
    return {
        "step_us": round(sorted(taken[False])[rounds // 2] / STEPS * 1e6, 1),
        "ratio": round(middle, 4),
        "interval": [round(low, 4), round(high, 4)],
    }


def main() -> None:
    torch.set_num_threads(1)
    small = step_of(perceptron(), 784, 10)
    large = step_of(seventy_five_modules(), 256, 256)

    def phases(modules: bool) -> Callable[[bool], None]:
        def prepare(on: bool) -> None:
            if on:
                _autotorch.install(modules=modules)
            else:
                _autotorch.uninstall()

        return prepare

    nothing = lambda _on: None  # noqa: E731
    with tempfile.TemporaryDirectory() as folder:
        with lt.record(str(Path(folder) / "bench.lap")):
            results = {
                "nothing (control)": compare(block(small), block(small), nothing),
                "4 laps a step, MLP 784-128-10": compare(block(small), block(small, True), nothing),
                "automatic phases, MLP 784-128-10": compare(
                    block(small), block(small), phases(False), settling=SETTLING
                ),
                "--modules, 75 modules": compare(
                    block(large), block(large), phases(True), ROUNDS // 4, settling=SETTLING
                ),
            }
    print(
        json.dumps(
            {
                "torch": torch.__version__,
                "steps": STEPS,
                "rounds": ROUNDS,
                "settling": SETTLING * STEPS,
                "overhead": results,
            }
        )
    )


if __name__ == "__main__":
    main()
