"""How long modules' forwards take, from the call until the device is done.

Within `timing_modules`, every call of a module of the model is timed by the host's clock; where
tensors are on a device, the device is waited for before each reading. The laps of `--modules` wait
for nothing and stand in the program's report, so they are not these. The modules themselves get no
hooks and no attributes.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from threading import get_ident
from typing import Any

import torch

from ..._core import now
from ...device.wait import synchronize_all
from ...world import Undo


def read(devices: Sequence[Any]) -> int:
    """The host's clock, in ticks, once the devices have done what they were given."""
    synchronize_all(devices)
    return now()


def waiting(devices: Sequence[Any]) -> str:
    """What is waited for, in words."""
    if not devices:
        return "on the CPU, so there is no device to wait for"
    return f"{', '.join(map(str, devices))} waited for before each reading"


@contextmanager
def timing_modules(model: torch.nn.Module, devices: Sequence[Any]) -> Generator[dict[int, int]]:
    """Within it, adds up the ticks of each module's forwards on this thread, by its identity."""
    known = {id(module) for module in model.modules()}
    ticks: dict[int, int] = {}
    running: set[int] = set()
    thread = get_ident()

    def __call__(module: Any, *arguments: Any, **keywords: Any) -> Any:
        identity = id(module)
        # A module that calls itself is timed once.
        is_timed = layer.is_on and identity in known and identity not in running
        if not is_timed or get_ident() != thread:
            return call(module, *arguments, **keywords)
        running.add(identity)
        try:
            begun = read(devices)
            out = call(module, *arguments, **keywords)
            ticks[identity] = ticks.get(identity, 0) + read(devices) - begun
            return out
        finally:
            running.discard(identity)

    with Undo() as undo:
        layer = undo.layer(torch.nn.Module, "__call__")
        call = layer.below
        layer.put(__call__)
        yield ticks
