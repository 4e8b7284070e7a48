"""Random numbers that are drawn for a measurement, and come again afterwards."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..device import kind_of


def random_states(devices: Sequence[Any] | None = None) -> Iterator[Callable[[], Any]]:
    """Reads the random states of the process, and gives what puts each back.

    Of `devices` they are the current states; by default of every CUDA device, where the program
    uses one.
    """
    python = random.getstate()
    yield lambda: random.setstate(python)
    numpy: Any = getattr(sys.modules.get("numpy"), "random", None)
    if numpy is not None:
        of_numpy = numpy.get_state()
        yield lambda: numpy.set_state(of_numpy)
    torch: Any = sys.modules.get("torch")
    if hasattr(torch, "get_rng_state"):
        of_torch = torch.get_rng_state()
        yield lambda: torch.set_rng_state(of_torch)
    for device in _cuda_devices(torch) if devices is None else devices:
        yield from _state_on(device, torch)


def _cuda_devices(torch: Any) -> list[str]:
    """Every one, if the program has begun to use them."""
    cuda = getattr(torch, "cuda", None)
    if cuda is None or not cuda.is_initialized():
        return []
    return [f"cuda:{index}" for index in range(cuda.device_count())]


def _state_on(device: Any, torch: Any) -> Iterator[Callable[[], Any]]:
    kind = kind_of(device)
    module: Any = None if kind == "cpu" else getattr(torch, kind, None)
    if hasattr(module, "get_rng_state"):
        # Metal has one state, and no number.
        place = () if kind == "mps" else (device,)
        before = module.get_rng_state(*place)
        yield lambda: module.set_rng_state(before, *place)


@contextmanager
def same_random_numbers(devices: Sequence[Any]) -> Generator[None]:
    """Random numbers may be drawn within it; the same ones come again afterwards."""
    states = list(random_states(devices))
    try:
        yield
    finally:
        for restore in states:
            restore()
