"""Counts and times a model's forwards in the program's own calls.

A call of the program can't be run a second time, so the same call is both counted and timed.
Counting slows it: the time is an upper bound.
"""

from __future__ import annotations

import contextlib
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode, _get_current_dispatch_mode_stack

from ..._core import Feed, OpCounts, ticks_to_seconds
from ...device.tensors import devices_of
from ...operations.torch.mode import Counting
from ...operations.torch.places import follow, know
from ...operations.torch.sharding import unsee
from ...world import Undo
from .account import params_of, unwrapped
from .clock import timing_modules, waiting

#: Under which name the model stands beside what else runs.
ROOT = "model"


class CountedForwards:
    """From its making to `stop()`, the model's forwards are counted and timed."""

    def __init__(self, model: torch.nn.Module) -> None:
        self._model = model
        self._devices = devices_of(model)
        self._feed = Feed()
        mode = Counting(self._feed)
        know(mode, ROOT, model)
        _know_compiled(mode, model)
        with contextlib.ExitStack() as running:
            _FAST_PATH.switch_off()
            running.callback(_FAST_PATH.switch_back)
            mode.__enter__()
            running.callback(_leave, mode)
            followed = running.enter_context(Undo())
            follow(followed, mode)
            unsee(followed)
            self._ticks = running.enter_context(timing_modules(model, self._devices))
            self._running = running.pop_all()

    def stop(self) -> OpCounts:
        """Ends it, and tells what was counted."""
        self._running.close()
        return self._feed.finish()

    def seconds(self) -> dict[int, float]:
        """By the identity of a module; those that were not called are not there."""
        return {module: ticks_to_seconds(ticks) for module, ticks in self._ticks.items()}

    def how(self) -> list[str]:
        """How the numbers were got."""
        lines = [
            "MACs and flops: every operator of the model's forwards, from its shapes, as it ran",
            "fwd latency: by the host's clock, read before and after each module; "
            + waiting(self._devices),
            "fwd latency is an upper bound, and FLOPS a lower one: the operators were counted as "
            "they ran, which slows them. get_model_profile() times runs without counting",
        ]
        if any(_is_compiled(module) for module in self._model.modules()):
            lines.append(
                "warning: compiled modules ran as they were written, as operators of compiled code "
                "can't be counted: the latency is not that of the compiled code"
            )
        return lines


class _FastPath:
    """The transformer's fast path, off while any model's forwards are counted: nobody can count
    what it runs."""

    def __init__(self) -> None:
        self._users = 0
        self._before = True

    def switch_off(self) -> None:
        """For one more."""
        mha: Any = torch.backends.mha
        if not self._users:
            self._before = mha.get_fastpath_enabled()
        self._users += 1
        mha.set_fastpath_enabled(False)

    def switch_back(self) -> None:
        """For one less; after the last it is as it was."""
        mha: Any = torch.backends.mha
        self._users -= 1
        if not self._users:
            mha.set_fastpath_enabled(self._before)


_FAST_PATH = _FastPath()


def _leave(mode: Counting) -> None:
    """Ends a mode, whichever were entered after it: they stay."""
    # By the base class: what others' own ends do, such as print, is not due yet.
    leave: Any = TorchDispatchMode.__exit__
    enter: Any = TorchDispatchMode.__enter__
    stack = _get_current_dispatch_mode_stack()
    if not any(it is mode for it in stack):
        return  # this is another thread, or somebody took it away
    over: list[Any] = []
    while (top := stack.pop()) is not mode:
        over.append(top)
        leave(top, None, None, None)
    leave(mode, None, None, None)
    for it in reversed(over):
        enter(it)


def _know_compiled(mode: Counting, model: torch.nn.Module) -> None:
    """What `torch.compile` put around a module is called in its place."""
    for path, module in model.named_modules(prefix=ROOT, remove_duplicate=False):
        inner = unwrapped(module)
        if inner is not module:
            path = ".".join(name for name in path.split(".") if name != "_orig_mod")
            mode.know(module, path, type(inner).__name__, params_of(inner))


def _is_compiled(module: torch.nn.Module) -> bool:
    called: Any = getattr(module, "_compiled_call_impl", None)
    return called is not None or unwrapped(module) is not module
