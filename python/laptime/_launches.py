"""Work that a call leaves to be done after it has returned: on a device, and with JAX everywhere.

JAX returns arrays that are still being computed, on the CPU too. Nothing is imported from here that
the program has not imported.
"""

from __future__ import annotations

import os
import sys

from ._core import note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeVar

    Result = TypeVar("Result")


# A child that is forked has nothing to tell that its parent doesn't.
_process = os.getpid()


def sync_on(value: Result) -> Result:
    """Waits until `value` is computed, and returns it: at the end of a lap that launches work.

        with lt.lap("forward"):
            loss = lt.sync_on(step(params, batch))

    JAX arrays, and tensors on a device, are found in dictionaries, lists and tuples. What has
    nothing to wait for passes through. An error of the computation is raised.
    """
    has_torch = "torch" in sys.modules
    if has_torch or "jax" in sys.modules:
        from .device.tensors import devices_in
        from .device.wait import synchronize_all, wait_for

        wait_for(value)
        if has_torch:
            synchronize_all(devices_in(value))
    return value


def note_launches() -> None:
    """Says of a program that computed with JAX what its laps measure."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    # What JAX keeps there; its own question takes a lock, and an exit may wait for nothing.
    if getattr(bridge, "_backends", None) and os.getpid() == _process:
        note("launches", "the program uses JAX, whose calls return before their work is done")
