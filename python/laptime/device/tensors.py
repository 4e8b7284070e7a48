"""Tensors in what a program passes around, and the devices that they are on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast


def tensors(value: Any) -> Iterator[Any]:
    """What has a shape in a value: itself, or what stands in dictionaries, lists and tuples."""
    if isinstance(value, Mapping):
        value = list(cast("Mapping[Any, Any]", value).values())
    if isinstance(value, (list, tuple)):
        for one in cast("Sequence[Any]", value):
            yield from tensors(one)
    elif hasattr(value, "shape"):
        yield value


def devices_in(value: Any) -> list[Any]:
    """Every device but the CPU that holds a tensor of a value, once."""
    devices = (getattr(one, "device", None) for one in tensors(value))
    used = (device for device in devices if getattr(device, "type", "cpu") not in ("cpu", "meta"))
    return list({str(device): device for device in used}.values())


def devices_of(model: Any, *values: Any) -> list[Any]:
    """Every device but the CPU that holds a parameter, a buffer or one of the values."""
    listed = [getattr(model, name, None) for name in ("parameters", "buffers")]
    held = [one for listing in listed if callable(listing) for one in cast("Any", listing())]
    return devices_in([*held, values])
