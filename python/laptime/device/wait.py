"""Waits for the work that a call leaves behind: on a device, and with JAX everywhere.

Whoever waits in the package does so from here. Nothing is imported that the program has not
imported, and a device that it does not use is not waited for.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ._probe import Probe, kind_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def wait_for(value: object) -> None:
    """Waits until the JAX arrays in a value are computed."""
    block = getattr(sys.modules.get("jax"), "block_until_ready", None)
    if block is not None:
        block(value)


def synchronize(device: Any = None) -> None:
    """Waits until the device (by default the current one) has done all it was given.

    Does nothing where the program does not use it, or while a CUDA graph is being captured.
    """
    probe = Probe(kind_of(device))
    if not probe.is_in_use() or probe.is_capturing():
        return
    # Every other accelerator's, by the name they share.
    module = probe.module if probe.kind == "cuda" else probe.torch.accelerator
    if device is None:
        module.synchronize()
    else:
        module.synchronize(device)


def synchronize_all(devices: Iterable[Any]) -> None:
    """Waits for one device after the other."""
    for device in devices:
        synchronize(device)


def finish_all(result: Any) -> None:
    """Waits for the JAX arrays in a result, and for the current device."""
    wait_for(result)
    finish_devices(result)


def finish_devices(_result: Any) -> None:
    """Waits for the current device, where the program uses one."""
    if "torch" in sys.modules:
        synchronize()


def waiter(device: Any) -> Callable[[Any], None]:
    """What waits for a device that is in use, found once: to ask anew takes microseconds.

    It is given the result of a call, which tells it nothing. On the CPU nothing is waited for.
    """
    probe = Probe(kind_of(device))
    if probe.kind == "cpu":
        return _nothing
    wait: Callable[[Any], None] = (
        probe.module if probe.kind == "cuda" else probe.torch.accelerator
    ).synchronize
    return lambda _result: wait(device)


def _nothing(_result: Any) -> None:
    """Waits for nothing."""


def holds_jax(result: Any) -> bool:
    """Whether a result has arrays of JAX in it, which are returned before they are computed."""
    jax: Any = sys.modules.get("jax")
    leaves = getattr(getattr(jax, "tree_util", None), "tree_leaves", None)
    array = getattr(jax, "Array", None)
    if leaves is None or array is None:
        return False
    return any(issubclass(type(leaf), array) for leaf in leaves(result))
