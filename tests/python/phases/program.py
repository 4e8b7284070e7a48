"""A training program in events, on the scripted clock: every event takes a known time."""

from __future__ import annotations

from contextlib import contextmanager

from scripted import ScriptedCore

from laptime._core import Iteration, LoaderMemory, PhaseMachine

DATA, FORWARD, BACKWARD, STEP, ZERO, OUTSIDE = 100, 30, 50, 20, 5, 7


class Batches:
    """An iterator over so many batches, as the DataLoader hook reports it."""

    def __init__(self, program: Program, loader: LoaderMemory, count: int, took: int) -> None:
        self.program, self.left, self.took = program, count, took
        self.iteration = Iteration(loader)
        self.fails: set[int] = set()
        """Batches left when a fetch raises, once."""

    def __iter__(self):
        return self

    def __next__(self):
        machine, core = self.program.machine, self.program.core
        machine.fetch_begin(self.iteration)
        if not self.left:
            core.clock += 3
            machine.exhausted(self.iteration)
            raise StopIteration
        core.clock += self.took
        if self.left in self.fails:
            self.fails.remove(self.left)
            machine.fetch_failed(self.iteration)
            raise RuntimeError("in the dataset")
        self.left -= 1
        machine.fetch_end()
        return self.left


class Program:
    """What a training script does, one method per call."""

    def __init__(self) -> None:
        self.core = ScriptedCore()
        self.grad = True
        self.by_hand = False
        self.machine = PhaseMachine(self.core, self)

    def loader(self, count: int, took: int = DATA):
        """A loader: calling it makes an iterator."""
        memory = LoaderMemory()
        return lambda batches=count: Batches(self, memory, batches, took)

    def forward(
        self,
        took: int = FORWARD,
        *,
        training: bool = True,
        trains: bool = True,
        raised: bool = False,
        inside=(),
    ):
        self.machine.forward_begin(training=training, trains=trains)
        self.core.clock += took
        for action in inside:
            action()
        self.machine.forward_end(raised=raised)

    def backward(self, took: int = BACKWARD, *, raised: bool = False) -> None:
        self.machine.backward_begin()
        self.core.clock += took
        self.machine.backward_end(raised=raised)

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
