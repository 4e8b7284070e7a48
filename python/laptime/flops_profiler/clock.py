"""How long modules' forwards take, from the call until the device is done.

Within a `Clock`, every call of a module of the model is timed by the host's clock; where tensors
are on a device, the device is waited for before each reading. The modules themselves get no hooks
and no attributes.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import torch

from .._core import now, ticks_to_seconds
from ..device.wait import synchronize_all


def read(devices: Sequence[Any]) -> int:
    """The host's clock, in ticks, once the devices have done what they were given."""
    synchronize_all(devices)
    return now()


def waiting(devices: Sequence[Any]) -> str:
    """What is waited for, in words."""
    if not devices:
        return "on the CPU, so there is no device to wait for"
    return f"{', '.join(map(str, devices))} waited for before each reading"


class Clock:
    """Adds up the time of each module's forwards that run within it, on the thread that began."""

    def __init__(self, model: torch.nn.Module, devices: Sequence[Any]) -> None:
        self._devices = devices
        self._known = {id(module) for module in model.modules()}
        self._ticks: dict[int, int] = {}
        self._is_on = False
        self._call: Any = None
        self._ours: Any = None

    def seconds(self) -> dict[int, float]:
        """By the identity of a module; those that were not called are not there."""
        return {module: ticks_to_seconds(ticks) for module, ticks in self._ticks.items()}

    def forget(self) -> None:
        """Begins at nothing again."""
        self._ticks.clear()

    def __enter__(self) -> Clock:
        module_class: Any = torch.nn.Module
        self._call = call = module_class.__call__
        known, ticks, devices = self._known, self._ticks, self._devices
        thread = threading.get_ident()
        running: set[int] = set()

        def __call__(module: Any, *arguments: Any, **keywords: Any) -> Any:
            identity = id(module)
            # A module that calls itself is timed once.
            if identity not in known or identity in running or not self._is_on:
                return call(module, *arguments, **keywords)
            if threading.get_ident() != thread:
                return call(module, *arguments, **keywords)
            running.add(identity)
            try:
                begun = read(devices)
                out = call(module, *arguments, **keywords)
                ticks[identity] = ticks.get(identity, 0) + read(devices) - begun
                return out
            finally:
                running.discard(identity)

        self._is_on = True
        self._ours = module_class.__call__ = __call__
        return self

    def __exit__(self, *_: object) -> None:
        self._is_on = False
        module_class: Any = torch.nn.Module
        # Who put his own around it since then keeps that.
        if module_class.__call__ is self._ours:
            module_class.__call__ = self._call
