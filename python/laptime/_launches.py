"""Work that a call leaves to be done after it has returned: on a device, and with JAX everywhere.

JAX returns arrays that are still being computed, on the CPU too. Nothing is imported from here that
the program has not imported.
"""

from __future__ import annotations

import sys

from ._core import note

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeVar

    Result = TypeVar("Result")


def sync_on(value: Result) -> Result:
    """Waits until `value` is computed, and returns it: at the end of a lap that launches work.

        with lt.lap("forward"):
            loss = lt.sync_on(step(params, batch))

    JAX arrays, and tensors on a device, are found in dictionaries, lists and tuples. What has
    nothing to wait for passes through. An error of the computation is raised.
    """
    wait_for(value)
    devices = {str(device): device for device in _devices_in(value)}
    if devices:
        from .device.now import synchronize

        for device in devices.values():
            synchronize(device)
    return value


def wait_for(value: object) -> None:
    """Waits until the JAX arrays in a value are computed."""
    block = getattr(sys.modules.get("jax"), "block_until_ready", None)
    if block is not None:
        block(value)


def _devices_in(value: Any) -> Iterator[Any]:
    """The devices of the tensors in a value, but for the CPU."""
    torch = sys.modules.get("torch")
    if torch is None or not hasattr(torch, "Tensor"):
        return
    if isinstance(value, torch.Tensor):
        if value.device.type not in ("cpu", "meta"):
            yield value.device
        return
    inside: Any = value
    if isinstance(value, dict):
        inside = inside.values()
    elif not isinstance(value, (list, tuple)):
        return
    for one in inside:
        yield from _devices_in(one)


def note_launches() -> None:
    """Says of a program that computed with JAX what its laps measure."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    is_used = getattr(bridge, "backends_are_initialized", None)
    if is_used is not None and is_used():
        note("launches", "the program uses JAX, whose calls return before their work is done")
