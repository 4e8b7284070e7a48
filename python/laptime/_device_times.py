"""Laps are timed on the device that PyTorch computes on, by events on its streams.

:func:`watch` imports nothing: once the program has imported torch, CUDA's own start calls back,
which torch does for whoever asks. Before that a lap costs what it does without a device, and
Laptime never starts CUDA. Only devices of NVIDIA's are timed, as their driver is the only one that
Laptime opens.
"""

from __future__ import annotations

import sys

from ._core import (
    asked,
    note,
    raised_by_handler,
    see_all_streams,
    time_on_devices,
    wait_for_devices,
)
from ._driver import why_unused
from ._log import warn
from ._post_import import when_imported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def watch() -> None:
    """Times laps from the program's first use of CUDA on; torch may be imported before or after."""
    when_imported("torch", _torch_imported)


def follow(torch: Any) -> bool:
    """Times laps from now on, if CUDA is in use; whether they are timed.

    Cost: per lap, asking for the current stream and two events.
    """
    cuda = getattr(torch, "cuda", None)
    if cuda is None or not cuda.is_initialized() or not _is_wanted(torch):
        return False
    _time(torch, cuda.is_initialized)
    return True


class Wish:
    """What a recording asks of device times besides, until it is released."""

    def __init__(self, *, sync: bool, all_streams: bool) -> None:
        """Laps wait for their device (`sync`), or end at the last of all streams."""
        self._sync = sync
        self._all_streams = all_streams
        if sync:
            wait_for_devices(True)
        if all_streams:
            from . import _device_streams

            see_all_streams(True)
            _device_streams.start()

    def release(self) -> None:
        """Asks no more; a second time does nothing."""
        sync, self._sync = self._sync, False
        all_streams, self._all_streams = self._all_streams, False
        if sync:
            wait_for_devices(False)
        if all_streams:
            from . import _device_streams

            see_all_streams(False)
            _device_streams.stop()


def _torch_imported(torch: Any) -> None:
    if asked().streams == "all" and _is_wanted(torch):
        from . import _device_streams

        _device_streams.start()
    queue: list[Any] | None = getattr(getattr(torch, "cuda", None), "_queued_calls", None)
    # A file of the program's that is called like it has no queue.
    if queue is not None and _is_wanted(torch) and not follow(torch):
        _Start(torch, queue).wait()


def say_why_none(torch: Any) -> None:
    """Notes why the laps of a recording that ends have no device time, for those who ask."""
    why = why_none(torch)
    if why is not None:
        note("device.off" if is_switched_off() else "device.unused", why)


def why_none(torch: Any) -> str | None:
    """Why laps have no device time so far; None where there is one in use, or no torch."""
    if is_switched_off():
        return "LAPTIME_DEVICE=off"
    is_initialized = getattr(getattr(torch, "cuda", None), "is_initialized", None)
    # A file of the program's that is called like it has neither.
    if is_initialized is None or not hasattr(torch, "_C") or is_initialized():
        return None
    return why_unused(torch)


def why_none_so_far() -> str | None:
    """The same of this process now, for a report of it."""
    try:
        return why_none(sys.modules.get("torch"))
    except Exception as error:
        # A file of the program's that is called like it may raise anything.
        if raised_by_handler(error):
            raise
        return None


def is_switched_off() -> bool:
    """Whether somebody asked for host times alone."""
    return asked().device == "off"


def _is_wanted(torch: Any) -> bool:
    found = asked()
    return not found.is_off and not is_switched_off() and not _is_of_amd(torch)


def _is_of_amd(torch: Any) -> bool:
    return bool(getattr(getattr(torch, "version", None), "hip", None))


def _time(torch: Any, is_ready: Callable[[], bool]) -> None:
    core, cuda = torch._C, torch.cuda
    # The public ones initialise CUDA first, and look at the interpreter's modules at each call.
    device = getattr(core, "_cuda_getDevice", cuda.current_device)
    stream = getattr(core, "_cuda_getCurrentRawStream", None)
    time_on_devices(
        is_ready, device, stream or (lambda index: cuda.current_stream(index).cuda_stream)
    )


class _Start:
    """A call among those that torch makes when it starts CUDA.

    It is taken back at the first lap from then on: torch goes through its queue while it calls.
    """

    def __init__(self, torch: Any, queue: list[Any]) -> None:
        self._torch = torch
        self._queue = queue
        # With where the call was asked for, which torch tells if it raises.
        self._entry = self._started, ["  in Laptime, which times laps on devices\n"]

    def wait(self) -> None:
        self._queue.append(self._entry)

    def _started(self) -> None:
        try:
            _time(self._torch, self._is_ready)
        except BaseException as error:
            # A panic too: CUDA starts, whatever Laptime wanted of it.
            if raised_by_handler(error):
                raise
            warn("laps are not timed on the device", error=True)

    def _is_ready(self) -> bool:
        """Whether the start is over: before that, asking for the device would start it again."""
        if not self._torch.cuda.is_initialized():
            return False
        if self._entry in self._queue:
            self._queue.remove(self._entry)
        return True
