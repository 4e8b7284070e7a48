"""Whether a device can be timed, and if not, why: asked without creating a context."""

from __future__ import annotations

import ctypes
import sys
from typing import TYPE_CHECKING, Any, cast

from .._core import raised_by_handler

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Numbers that torchtimer takes for the CPU.
CPU = ("cpu", -1)


def _torch() -> Any:
    return sys.modules.get("torch")


def each(device: Any) -> list[Any]:
    """The devices of a list of them, or the one that is no list."""
    return list(cast("Iterable[Any]", device)) if _are_several(device) else [device]


def _are_several(device: Any) -> bool:
    return isinstance(device, (list, tuple, set, frozenset))


def kind_of(device: Any) -> str:
    """The kind of a device ("cuda", "xpu", "cpu", …) as PyTorch's users write it."""
    if _are_several(device):
        kinds = sorted({kind_of(one) for one in each(device)})
        if len(kinds) != 1:
            raise ValueError(f"expected devices of one kind, found {kinds or 'none'}")
        return kinds[0]
    if device in CPU:
        return "cpu"
    if isinstance(device, int) and device < 0:
        raise ValueError(f"{device} is no device: devices count from 0, and -1 is the CPU")
    if device is None or isinstance(device, int):
        return _usual()
    return str(getattr(device, "type", device)).partition(":")[0]


def _usual() -> str:
    """The kind of device that this PyTorch is built for. Asks for none to be there."""
    accelerator = getattr(_torch(), "accelerator", None)
    current = getattr(accelerator, "current_accelerator", lambda: None)()
    return str(getattr(current, "type", "cuda"))


def indices(device: Any) -> list[int | None]:
    """The numbers of the devices; None is the one in use when it is asked."""
    if _are_several(device):
        return [index for one in each(device) for index in indices(one)]
    if device is None or isinstance(device, int):
        return [device]
    if isinstance(device, str):
        number = device.partition(":")[2]
        return [int(number) if number else None]
    return [getattr(device, "index", None)]


class Probe:
    """One kind of device. Its reason changes as the program comes to use the device."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        #: Whether the reason will stay.
        self.is_final = False
        #: Whether PyTorch has no such kind of device at all.
        self.is_unknown = False
        self._reason: str | None = "not asked yet"

    @property
    def torch(self) -> Any:
        return _torch()

    @property
    def is_imported(self) -> bool:
        torch = _torch()
        return torch is not None and hasattr(torch, self.kind)

    @property
    def module(self) -> Any:
        """`torch.cuda`, or its like."""
        return getattr(_torch(), self.kind)

    def is_in_use(self) -> bool:
        """Whether the program has begun to use the device. Looks for no driver."""
        module = getattr(_torch(), self.kind, None)
        ask = getattr(module, "is_initialized", None)
        return bool(ask()) if ask is not None else module is not None and self.reason() is None

    def reason(self) -> str | None:
        """Why nothing can be timed on the device now; None when it can be."""
        if self._reason is not None and not self.is_final:
            self._reason = self._ask()
        return self._reason

    def _ask(self) -> str | None:
        torch = _torch()
        if torch is None:
            return "the program has not imported PyTorch"
        module = getattr(torch, self.kind, None)
        if module is None:
            # While PyTorch is being imported, its parts come one by one.
            spec = getattr(torch, "__spec__", None)
            self.is_final = self.is_unknown = not getattr(spec, "_initializing", False)
            if self.kind in ("hip", "rocm"):
                return f"PyTorch knows no device {self.kind!r}: it calls AMD devices 'cuda'"
            return f"PyTorch knows no device {self.kind!r}"
        is_initialized = getattr(module, "is_initialized", None)
        if is_initialized is not None and is_initialized():
            return None
        try:
            ask = getattr(module, "is_available", None) or torch.accelerator.is_available
            found = bool(ask())
        except Exception as error:
            if raised_by_handler(error):
                raise
            self.is_final = True
            return f"PyTorch cannot use the device: {error}"
        if not found:
            self.is_final = True
            return self._absent(torch)
        if is_initialized is None:
            return None
        return "the program has not used the device yet"

    def missing(self, wanted: list[int | None]) -> str | None:
        """Which of these devices PyTorch doesn't see; None where it sees all, or can't say."""
        try:
            count = getattr(self.module, "device_count", lambda: 0)()
        except Exception as error:
            if raised_by_handler(error):
                raise
            return None
        beyond = [index for index in wanted if index is not None and 0 < count <= index]
        if not beyond:
            return None
        return f"there is no device {self.kind}:{beyond[0]}: PyTorch sees {count}"

    def _absent(self, torch: Any) -> str:
        """What is missing, from the outside in. Loading a driver's library creates nothing."""
        if self.kind != "cuda":
            return f"no {self.kind} device"
        versions = getattr(torch, "version", None)
        if not getattr(versions, "cuda", None):
            hip = getattr(versions, "hip", None)
            return "no AMD device or driver" if hip else "this PyTorch is built without CUDA"
        try:
            ctypes.CDLL("libcuda.so.1")
        except OSError:
            return "no NVIDIA driver"
        return "no NVIDIA device"

    def is_capturing(self) -> bool:
        """Whether a CUDA graph is being captured: events would become part of it."""
        ask = getattr(self.module, "is_current_stream_capturing", None)
        return bool(ask is not None and ask())
