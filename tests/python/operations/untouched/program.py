"""A program that was built from its source: a step to call, and everything it can be seen by."""

from __future__ import annotations

import contextlib
import linecache
import os
import random
import sys
import tempfile
import types
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch

from . import surroundings
from .difference import first_difference
from .fingerprint import Fingerprint
from .part import Part
from .source import Source


class Program:
    """One life of a program: built, trained, looked at."""

    def __init__(self, number: int, recipe: Mapping[str, Part], source: Source) -> None:
        tags = frozenset().union(*(part.is_ for part in recipe.values()))
        if "distributed" in tags:
            _one_process()
        self.recipe = recipe
        self.module = types.ModuleType(f"program_{number}")
        sys.modules[self.module.__name__] = self.module
        self.name = f"<program {number}>"
        # For tracebacks, and for what compiles from source.
        linecache.cache[self.name] = (
            len(source.text),
            None,
            source.text.splitlines(True),
            self.name,
        )
        exec(compile(source.text, self.name, "exec"), vars(self.module))
        self.step, self.batches, self._made = self.module.build()
        self.steps = 0

    def arguments(self) -> tuple[Any, ...]:
        """What the next step is passed."""
        passed: tuple[Any, ...] = ()
        if "passed" in self.recipe["data"].is_:
            x, y = self.batches[self.steps % len(self.batches)]
            passed = ({"x": x, "y": y},) if "is_dict" in self.recipe["data"].step else (x, y)
        return ((self._made["argument"],) if "argument" in self._made else ()) + passed

    @property
    def model(self) -> Any:
        """The model as the program wrapped it."""
        return self._made["model"]

    def input(self) -> torch.Tensor:
        """What the model itself is called with."""
        return self.batches[self.steps % len(self.batches)][0]

    def train(self, steps: int) -> None:
        """Steps, one after the other."""
        for _ in range(steps):
            self.step(*self.arguments())
            self.steps += 1

    def look(self) -> Look:
        """What it is now."""
        return Look(self)

    def roots(self) -> dict[str, Any]:
        """All that it lives from."""
        return {**self._made, "step": self.step}


class Look:
    """A program and its surroundings at one instant."""

    def __init__(self, program: Program) -> None:
        self._numbers = surroundings.numbers()
        self._identities = surroundings.identities()
        self._things = Fingerprint(program.roots(), program=program.module)

    def difference(self, now: Look, *, same_run: bool) -> str | None:
        """Where the later look differs first."""
        return (
            first_difference(self._things, now._things, same_run=same_run)
            or surroundings.difference(self._numbers, now._numbers)
            or (surroundings.difference(self._identities, now._identities) if same_run else None)
        )


@contextlib.contextmanager
def alone(number: int) -> Iterator[None]:
    """Within it random states are those of the program's number; the process is as it was after."""
    states = torch.get_rng_state(), random.getstate(), np.random.get_state()
    torch.manual_seed(number)
    random.seed(number)
    np.random.seed(number % 2**32)
    before = torch.is_grad_enabled()
    try:
        yield
    finally:
        torch.set_rng_state(states[0])
        random.setstate(states[1])
        np.random.set_state(states[2])
        torch.set_grad_enabled(before)
        sys.modules.pop(f"program_{number}", None)
        linecache.cache.pop(f"<program {number}>", None)


def _one_process() -> None:
    """A process group of this process alone."""
    import torch.distributed as dist

    if not dist.is_initialized():
        file = os.path.join(tempfile.mkdtemp(), "store")
        dist.init_process_group("gloo", init_method=f"file://{file}", rank=0, world_size=1)
