"""Counts what a program runs, on its own tensors, by the lap that is open.

Nothing is changed of what the program computes: operators run as they are called, and are looked at
afterwards. Composite ones, which reach a mode only in inference mode, are taken apart as they
would be anyway.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Any

import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from ..._core import Feed, OpCounts
from .mode import Counting

#: Where classes are defined that stand in for tensors.
_STAND_INS = "torch._subclasses."


class LiveCounting(Counting):
    """Counts what runs on the thread that made it, and on those that work for it."""

    def __init__(self, core: Any, path: int) -> None:
        super().__init__(Feed())
        self.swap_feed(self.feed)
        self._core = core
        self._thread = threading.get_ident()
        self._path = path
        self._feeds = {path: self.feed}
        self.is_live = True
        self.device = "cpu"
        self._trouble: Exception | None = None

    def __new__(cls, core: Any, path: int) -> LiveCounting:
        made: LiveCounting = super().__new__(cls, Feed())  # type: ignore[assignment]
        return made

    def leave(self) -> None:
        """Ends it, where it is on top; below a mode of the program's it does nothing any more."""
        self.is_live = False
        stack = _get_current_dispatch_mode_stack()
        if stack and stack[-1] is self:
            self.__exit__(None, None, None)

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        # What stands in for a tensor computes nothing, and its class answers even questions that
        # torch asks where nothing may be raised.
        if not self.is_live or any(kind.__module__.startswith(_STAND_INS) for kind in types):
            return function(*args, **kwargs)
        if any(self.wraps(kind) for kind in types):
            return NotImplemented
        if hasattr(function, "_can_decompose") and function._can_decompose():
            with self:
                out = function.decompose(*args, **kwargs)
            if out is not NotImplemented:
                return out
        out = function(*args, **kwargs)
        try:
            self._see(function, args, kwargs, out)
        except Exception as error:
            self._trouble = self._trouble or error
        return out

    def _see(self, function: Any, args: Any, kwargs: Any, out: Any) -> None:
        route = self.meet(function)[4]
        if route in ("run", "device"):
            return
        if threading.get_ident() == self._thread:
            path = self._core.path_number()
            if path != self._path:
                self._path = path
                self.swap_feed(self._feeds.setdefault(path, Feed()))
        self.record(function, args, kwargs, out)
        if isinstance(out, torch.Tensor) and out.device.type != self.device.partition(":")[0]:
            if self.device == "cpu":
                self.device = str(out.device)

    def finish(self) -> Iterator[tuple[int, OpCounts]]:
        """What was counted at each path."""
        if self._trouble is not None:
            raise self._trouble
        for path, feed in self._feeds.items():
            yield path, feed.finish()


#: What torch puts in front of a mode written in Python, and behind it.
_BEFORE, _BEHIND = ("torch/_compile.py", "torch/_dynamo/eval_frame.py"), ("torch/_ops.py",)


def hide_frames(error: BaseException) -> None:
    """Takes the frames of counting out of the traceback: the program sees its own."""
    ours = LiveCounting.__torch_dispatch__.__wrapped__.__code__  # type: ignore[attr-defined]
    found: list[TracebackType] = []
    entry = error.__traceback__
    is_behind = False
    while entry is not None:
        code = entry.tb_frame.f_code
        if code is ours:
            while found and found[-1].tb_frame.f_code.co_filename.endswith(_BEFORE):
                found.pop()
            is_behind = True
        elif not (is_behind and code.co_filename.endswith(_BEHIND)):
            found.append(entry)
            is_behind = False
        entry = entry.tb_next
    after = None
    for entry in reversed(found):
        entry.tb_next = after
        after = entry
    error.__traceback__ = after


#: Modes under which nothing is computed: a graph is made, or shapes are worked out.
_STANDING_IN = [
    key
    for name in ("FAKE", "PROXY", "FUNCTIONAL")
    if (key := getattr(getattr(torch._C, "_TorchDispatchModeKey", None), name, None)) is not None
]


def is_elsewhere() -> bool:
    """Whether what is called now is traced, or runs on what stands in for tensors."""
    modes = (torch._C._get_dispatch_mode(key) for key in _STANDING_IN)
    return torch._C._is_tracing() or any(mode is not None for mode in modes)
