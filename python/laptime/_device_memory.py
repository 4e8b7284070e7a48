"""Memory of laps on devices, as PyTorch's allocator counts it: whether it is read, and how.

The allocator is read where laps open and close. To know each lap's peak exactly its own peak has
to begin anew there (`fold`). What PyTorch then tells the program goes through stand-ins, which
make it what it would be. They stand in for functions of `torch._C` that all of `torch.cuda` goes
through, so the program's own functions stay the objects that they are.
"""

from __future__ import annotations

import os

from ._core import Allocators, asked, note, raised_by_handler
from ._log import warn
from ._post_import import wait_no_more, when_imported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal, TypeAlias

    #: How a lap's peak becomes known.
    Mode: TypeAlias = Literal["bounds", "fold"]

#: Functions of `torch._C` that tell a device's numbers, and those that reset its peaks. The first
#: of each are called for laps, too.
TELL = ("_cuda_memoryStats", "_accelerator_getDeviceStats")
RESET = ("_cuda_resetPeakMemoryStats", "_accelerator_resetPeakStats")

#: Code of the note that says why no lap has memory of a device.
_UNAVAILABLE = "device.memory.unavailable"


def start(mode: Mode | None = None, *, usual: Mode = "bounds") -> bool:
    """Reads devices from now on, once the program uses PyTorch on one. Whether this call began it.

    Without a mode the environment says it, and without that it is the usual one.
    """
    global _asked
    wanted = mode or asked().device_memory or usual
    if _asked is not None and _asked.is_own():
        return False
    _asked = _Asked(None if wanted == "off" else wanted)
    if wanted != "off":
        when_imported("torch", _asked.follow)
    return True


def stop() -> None:
    """Reads them no more, and says why it never could, if so."""
    global _asked
    asked, _asked = _asked, None
    try:
        if asked is not None:
            wait_no_more(asked)
            asked.end()
    except Exception as error:
        if raised_by_handler(error):
            raise
        warn("could not end reading the memory of devices", error=True)


class _Asked:
    """From the start to the stop."""

    def __init__(self, mode: Mode | None) -> None:
        self._mode: Mode | None = mode
        self._torch: Any = None
        self._stand_ins: _StandIns | None = None
        self._reason: str | None = "LAPTIME_DEVICE_MEMORY switches it off" if mode is None else None
        self._pid = os.getpid()

    def is_own(self) -> bool:
        """Whether it is this process's: a forked child has its parent's, and reads no device."""
        return self._pid == os.getpid()

    def follow(self, torch: Any) -> None:
        if _asked is not self or self._mode is None:
            return
        self._torch = torch
        self._reason = _reason(torch)
        if self._reason is None:
            self._stand_ins = _StandIns.of(torch)
            self._stand_ins.follow(self._mode)

    def end(self) -> None:
        if self._stand_ins is not None:
            self._stand_ins.leave()
            allocators = self._stand_ins.allocators
            self._reason = allocators.failure
            if self._reason is None and not allocators.has_read() and self.is_own():
                self._reason = _not_used(self._torch)
        elif self._torch is None and self._reason is None:
            self._reason = "the program did not import PyTorch"
        if self._reason is not None:
            note(_UNAVAILABLE, self._reason)


_asked: _Asked | None = None


def _reason(torch: Any) -> str | None:
    """Why this PyTorch's devices can't be read, which doesn't change. Asks no driver."""
    core = getattr(torch, "_C", None)
    if not all(hasattr(core, names[0]) for names in (TELL, RESET)):
        return "this PyTorch is built without CUDA"
    if os.environ.get("PYTORCH_NO_CUDA_MEMORY_CACHING"):
        return "PYTORCH_NO_CUDA_MEMORY_CACHING is set, and PyTorch counts no memory then"
    return None


def _not_used(torch: Any) -> str:
    # Not by `torch.cuda.is_available()`, which starts the driver: no fork could use it then.
    if torch.cuda.is_initialized():
        return "no lap opened or closed while PyTorch used a device"
    from ._driver import why_unused

    return why_unused(torch)


class _StandIns:
    """What stands in for functions of one PyTorch, as long as the program would see wrong peaks."""

    _known: _StandIns | None = None

    @classmethod
    def of(cls, torch: Any) -> _StandIns:
        if cls._known is None or cls._known._core is not torch._C:
            cls._known = cls(torch)
        return cls._known

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        core = self._core = torch._C
        self.allocators = Allocators(
            torch.cuda,
            getattr(core, TELL[0]),
            getattr(core, RESET[0]),
            getattr(core, "_cuda_getDevice", None) or torch.cuda.current_device,
            getattr(core, "_cuda_getDeviceCount", None) or torch.cuda.device_count,
        )
        self._is_followed = False
        #: By name: the function, and what stands in for it.
        self._standing: dict[str, tuple[Any, Any]] = {}

    def follow(self, mode: Mode) -> None:
        """Tells laps, from here on. Where nothing is folded only the program's resets are seen."""
        self._is_followed = True
        for name in RESET:
            self._put(name, self._resetting)
        if mode == "fold":
            for name in TELL:
                self._put(name, self._telling)
        self.allocators.follow(mode == "fold")

    def leave(self) -> None:
        """Tells laps no more. What the program would see wrongly now stays until it resets it."""
        self._is_followed = False
        self.allocators.leave()
        self._put_back_if_done()

    def _put(self, name: str, wrap: Callable[..., Any]) -> None:
        function = getattr(self._core, name, None)
        if function is None or name in self._standing:
            return
        from functools import wraps

        stand_in = wraps(function)(wrap(function))
        self._standing[name] = function, stand_in
        setattr(self._core, name, stand_in)

    def _telling(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def tell(device: Any) -> Any:
            return self.allocators.raised(device, function(device))

        return tell

    def _resetting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def reset(device: Any) -> Any:
            self.allocators.before_reset(device)
            result = function(device)
            self.allocators.was_reset(device)
            self._put_back_if_done()
            return result

        return reset

    def _put_back_if_done(self) -> None:
        if self._is_followed or self.allocators.keeps_peaks():
            return
        for name in list(self._standing):
            function, stand_in = self._standing.pop(name)
            # Somebody may have put another one over it.
            if getattr(self._core, name, None) is stand_in:
                setattr(self._core, name, function)
