"""A training program in events, on the scripted clock: every event takes a known time."""

from __future__ import annotations

from contextlib import contextmanager
from types import SimpleNamespace

from scripted import ScriptedCore

from laptime.integrations._loader import Iteration, Loader
from laptime.integrations._phases import Phases

DATA, FORWARD, BACKWARD, STEP, ZERO, OUTSIDE = 100, 30, 50, 20, 5, 7


class Batches:
    """An iterator over so many batches, as the DataLoader hook reports it."""

    def __init__(self, program: Program, loader: Loader, count: int, took: int) -> None:
        self.program, self.left, self.took = program, count, took
        self.iteration = Iteration(loader)

    def __iter__(self):
        return self

    def __next__(self):
        machine, core = self.program.machine, self.program.core
        machine.fetch_begin(self.iteration)
        if not self.left:
            core.clock += 3
            machine.exhausted(self.iteration)
            raise StopIteration
        self.left -= 1
        core.clock += self.took
        machine.fetch_end(self.iteration)
        return self.left


class Program:
    """What a training script does, one method per call."""

    def __init__(self) -> None:
        self.core = ScriptedCore()
        self.grad = True
        self.by_hand = False
        self.machine = Phases(
            self.core,
            lambda: self.grad,
            trains=lambda module, _: module.trains,
            by_hand=lambda: self.by_hand,
        )

    def loader(self, count: int, took: int = DATA):
        """A loader: calling it makes an iterator."""
        memory = Loader()
        return lambda batches=count: Batches(self, memory, batches, took)

    def forward(
        self, took: int = FORWARD, *, training: bool = True, trains: bool = True, inside=()
    ):
        module = SimpleNamespace(training=training, trains=trains)
        self.machine.forward_begin(self.grad, module, ())
        self.core.clock += took
        for action in inside:
            action()
        self.machine.forward_end()

    def backward(self, took: int = BACKWARD) -> None:
        self.machine.backward_begin()
        self.core.clock += took
        self.machine.backward_end()

    def gradient(self, took: int = BACKWARD) -> None:
        self.machine.gradient_begin()
        self.core.clock += took
        self.machine.backward_end()

    def step(self, took: int = STEP, *, closure=None) -> None:
        self.machine.optimizer_begin(True)
        self.core.clock += took
        if closure is not None:
            closure()
        self.machine.optimizer_end(True)

    def zero_grad(self, took: int = ZERO) -> None:
        self.machine.optimizer_begin(False)
        self.core.clock += took
        self.machine.optimizer_end(False)

    def other(self, took: int = OUTSIDE) -> None:
        self.core.clock += took

    def train_batch(self) -> None:
        self.zero_grad()
        self.forward()
        self.backward()
        self.step()

    @contextmanager
    def no_grad(self):
        before, self.grad = self.grad, False
        yield
        self.grad = before

    @contextmanager
    def lap(self, name: str):
        token = self.core.open_span(name)
        try:
            yield
        finally:
            self.core.close_span(token)
