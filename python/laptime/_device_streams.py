"""Watches which streams a PyTorch program uses, for laps that end at the last of them.

Recording an event on a stream that is gone is undefined, so only streams that never end are told:
those of PyTorch's pools and the default one, once the program makes them current. What a program
brings of its own (`torch.cuda.ExternalStream`) may end at any time.
"""

from __future__ import annotations

from ._core import raised_by_handler, see_stream
from ._log import warn
from ._post_import import when_imported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

#: Functions of `torch._C` that make a stream the current one.
SET = ("_cuda_setStream", "_accelerator_setStream")

_asking = 0
_watch: _Watch | None = None


def start() -> None:
    """Watches from now on, once torch is there, until as many :func:`stop`."""
    global _asking
    _asking += 1
    if _asking == 1:
        when_imported("torch", _begin)


def stop() -> None:
    """Undoes one :func:`start`; the last one leaves no trace."""
    global _asking, _watch
    _asking -= 1
    if _asking == 0 and _watch is not None:
        _watch.end()
        _watch = None


def _begin(torch: Any) -> None:
    global _watch
    core = getattr(torch, "_C", None)
    needed = ("_cuda_getDevice", "_cuda_getCurrentStream", "_cuda_getCurrentRawStream")
    if _asking and _watch is None and all(hasattr(core, name) for name in needed):
        _watch = _Watch(core)
        if torch.cuda.is_initialized():
            _watch.look()


class _Watch:
    """Stands in for the functions that make a stream current."""

    def __init__(self, core: Any) -> None:
        self._core = core
        self._seen: set[Any] = set()
        #: By name: the function, and what stands in for it.
        self._standing: dict[str, tuple[Any, Any]] = {}
        for name in SET:
            function = getattr(core, name, None)
            if function is not None:
                from functools import wraps

                stand_in = wraps(function)(self._setting(function))
                self._standing[name] = function, stand_in
                setattr(core, name, stand_in)

    def end(self) -> None:
        for name, (function, stand_in) in self._standing.items():
            # Somebody may have put another one over it.
            if getattr(self._core, name, None) is stand_in:
                setattr(self._core, name, function)
        self._standing.clear()

    def look(self) -> None:
        """Tells the current stream, if it is new and never ends."""
        try:
            device = self._core._cuda_getDevice()
            stream = self._core._cuda_getCurrentStream(device)
            if stream in self._seen:
                return
            raw = self._core._cuda_getCurrentRawStream(device)
            # The number of one that the program brought is its address, and of no other.
            is_external = raw != 0 and stream[0] == raw
            if is_external or see_stream(raw):
                self._seen.add(stream)
        except Exception as error:
            if raised_by_handler(error):
                raise
            self.end()
            warn("streams are not watched any more", error=True)

    def _setting(self, function: Callable[..., Any]) -> Callable[..., Any]:
        def set_stream(*given: Any, **named: Any) -> Any:
            result = function(*given, **named)
            self.look()
            return result

        return set_stream
