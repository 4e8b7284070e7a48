"""Where a model is measured: where it is, or on the devices that it is moved to."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from ..device import Probe, kind_of
from ..device.tensors import tensors

if TYPE_CHECKING:
    from collections.abc import Sequence


class Place:
    """A device with its name, and why nothing can be measured there. None moves nothing."""

    def __init__(self, name: str, device: Any, reason: str | None = None) -> None:
        self.name, self.device, self.reason = name, device, reason


def places(module: Any, x: Any, devices: Sequence[Any] | None) -> list[Place]:
    """Those that are asked for, or the one where the model is."""
    if devices is None:
        return [_own(module, x)]
    if isinstance(devices, str) or not hasattr(devices, "__iter__"):
        raise TypeError(f'devices are a list, such as devices=["cpu", "cuda"], not {devices!r}')
    found = [Place(str(device), device, _missing(device, x)) for device in devices]
    if not found:
        raise ValueError('devices are one or more, such as devices=["cpu", "cuda"]')
    names = [place.name for place in found]
    if len(set(names)) < len(names):
        raise ValueError(f"each device is named once, found {', '.join(names)}")
    return found


def _own(module: Any, x: Any) -> Place:
    """Where the parameters are; the input is brought there where they are all on one device."""
    held = list(module.parameters()) if module is not None else []
    used = {str(one.device): one.device for one in held if hasattr(one, "device")}
    if "meta" in used:
        raise ValueError("the model has parameters without values (device meta): load them first")
    if len(used) == 1:
        ((name, device),) = used.items()
        return Place(name, device)
    # Nothing is known of a function's model: what runs on the current device is waited for.
    inputs = (str(getattr(one, "device", "cpu")) for one in tensors(x))
    return Place(", ".join(used) or next(inputs, "cpu"), None)


def _missing(device: Any, x: Any) -> str | None:
    """Why a device can't be used."""
    kind = kind_of(device)
    if kind == "cpu":
        return None
    if kind == "meta":
        return "tensors on it have no values: nothing is computed there"
    probe = Probe(kind)
    reason = probe.reason()
    if probe.is_final or not probe.is_imported:
        return reason
    torch: Any = sys.modules["torch"]
    if not any(isinstance(one, torch.Tensor) for one in tensors(x)):
        return "x has no PyTorch tensor, and others are not moved to a device"
    index = str(device).partition(":")[2]
    count = getattr(probe.module, "device_count", None)
    if index and count is not None and int(index) >= count():
        there = f"there is {count()}" if count() == 1 else f"there are {count()}"
        return f"no device {device}: {there} of {kind}"
    return None
