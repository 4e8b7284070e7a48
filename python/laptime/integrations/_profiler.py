"""Torch's own profiler: made for what is in use, switched on and off quietly, and let go of.

It has Kineto look at a device, as `torch.profiler` does, through the driver's own interface. What
torch falls back to otherwise puts two events of the device's around each operator: they tell of no
kernel, and a forked child that lets go of them dies.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from .._core import end_early

if TYPE_CHECKING:
    from collections.abc import Callable

#: The kinds of devices whose kernels it sees, and the activity that it sees them by.
_KINDS = {"cuda": "CUDA", "xpu": "XPU"}


def device_in_use(torch: Any) -> str:
    """The kind of device that is in use already, and empty without; none is started."""
    for name in _KINDS:
        device = getattr(torch, name, None)
        if device is not None and device.is_initialized():
            return name
    return ""


def sees(torch: Any, device: str) -> bool:
    """Whether this torch's profiler has what it takes to see a device's kernels."""
    supported = getattr(torch._C._autograd, "_supported_activities", None)
    return supported is None or _KINDS[device] in {one.name for one in supported()}


def made(torch: Any, device: str) -> Any:
    """A profiler of operators, and of a device's kernels where one is named."""
    profile = torch.autograd.profiler.profile
    return profile(**words(profile, device)) if device else profile()


def words(profile: Any, device: str) -> dict[str, Any]:
    """What a profiler of this torch is told, so that it sees a device's kernels."""
    from inspect import signature

    takes = signature(profile).parameters
    told: dict[str, Any] = {}
    if "use_device" in takes:
        told["use_device"] = device
    elif device == "cuda":
        told["use_cuda"] = True
    if "use_kineto" in takes:
        told["use_kineto"] = True
    return told


def switch(torch: Any, then: Callable[[], object]) -> None:
    """Starts or stops a profiler. One that fails, as at a lost device, is off."""
    try:
        with _Quiet():
            then()
    except BaseException:
        core, profiler = torch._C._autograd, torch.autograd.profiler
        if core._profiler_enabled():
            core._disable_profiler()
        profiler._run_on_profiler_stop()
        raise


def forget(error: BaseException) -> None:
    """What an error's traceback holds of our own frames that are over, such as events, goes."""
    ours = __name__.rpartition(".")[0]
    at = error.__traceback__
    while at is not None:
        if str(at.tb_frame.f_globals.get("__name__")).startswith(ours):
            try:
                at.tb_frame.clear()
            except RuntimeError:
                pass  # it still runs
        at = at.tb_next


def forked(torch: Any, is_on: bool) -> None:
    """In a child of a process that had one on, or has one on in the thread that forked.

    Nothing is written down there any more. To stop it would ask the driver, which works in no
    forked child. A child that returns from its main program ends as it would without a profiler:
    Kineto's destructor would wait for a thread that only the parent has, forever.
    """
    if is_on:
        off = getattr(torch._C._autograd, "_enable_record_function", None)
        if off is not None:
            off(False)
        torch.autograd.profiler._run_on_profiler_stop()
    end_early()


class _Quiet:
    """Has the profiler's library say nothing on the program's standard error meanwhile."""

    _NAME = "KINETO_LOG_LEVEL"

    def __enter__(self) -> None:
        self._is_set = self._NAME in os.environ
        if not self._is_set:
            os.environ[self._NAME] = "8"

    def __exit__(self, *_: object) -> None:
        if not self._is_set:
            os.environ.pop(self._NAME, None)
