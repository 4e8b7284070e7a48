"""Automatic phases: watches torch from outside and tells the state machine what happens.

:func:`install` imports nothing. Once the program has imported torch, the functions that every
training program goes through are watched: the loader's ``__next__``, ``Module.__call__``,
``torch.autograd.backward``, the optimizer's ``step`` and ``zero_grad``, ``GradScaler``. Each
stays the object that it is; calls reach it with the arguments they were given and bring what it
returns; whatever goes wrong in Laptime stays in Laptime. :func:`uninstall` leaves no trace.
"""

from __future__ import annotations

import atexit
import sys

from .._core import note, raised_by_handler
from .._log import warn

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import ModuleType
    from typing import Any

_installed = 0
_watched: Any = None
_wants_modules = False
_wants_ops = False
_wanted_steps: range | None = None


def install(modules: bool = False, ops: bool = False, kernels: range | None = None) -> None:
    """Splits training into phases from now on, as soon as torch is imported.

    `ops` counts the operations of the first step of each input shape; `kernels` are the steps whose
    operators and kernels are profiled.

    Cost: some microseconds a step, more with `modules`; docs/benchmarks.md has the ratios.
    """
    global _installed, _wants_modules, _wants_ops, _wanted_steps
    _installed += 1
    _wants_modules = _wants_modules or modules
    _wants_ops = _wants_ops or ops
    _wanted_steps = _wanted_steps or kernels
    if _installed > 1:
        return
    from .._post_import import when_imported

    if ops or kernels:
        atexit.register(_say_without_torch)
    when_imported("torch", _torch_imported)


def uninstall() -> None:
    """Undoes one :func:`install`."""
    global _installed, _wants_modules, _wants_ops, _wanted_steps, _watched
    if _installed:
        _installed -= 1
    if _installed:
        return
    if _wants_ops or _wanted_steps:
        _say_without_torch()
    _wants_modules = _wants_ops = False
    _wanted_steps = None
    watched, _watched = _watched, None
    if watched is not None:
        watched.remove()
        atexit.unregister(watched.finish)


def _torch_imported(torch: ModuleType) -> None:
    global _watched
    if not _installed or _watched is not None:
        return
    if "torch.nn" not in sys.modules:
        return  # a file of the program's, called like it: what the real one imports isn't there
    try:
        from ._patches import Patches

        core = sys.modules["laptime._core"]
        _watched = Patches(
            torch, core, modules=_wants_modules, ops=_wants_ops, kernels=_wanted_steps
        )
        _watched.apply()
        atexit.register(_watched.finish)
    except BaseException as error:
        watched, _watched = _watched, None
        if watched is not None:
            watched.remove()
        if raised_by_handler(error):
            raise
        warn(f"automatic phases are off: torch looks unfamiliar ({type(error).__name__}: {error})")


def _say_without_torch() -> None:
    """Says why nothing was counted or profiled in a program that has no PyTorch."""
    atexit.unregister(_say_without_torch)
    if _watched is not None or (not _installed and "torch" in sys.modules):
        return
    other = next((name for name in ("jax", "tensorflow", "mlx") if name in sys.modules), None)
    whose = f"the program uses {other}" if other else "the program did not import PyTorch"
    if _wanted_steps:
        note(
            "kernels.unavailable",
            f"no step was profiled: that takes PyTorch's profiler, and {whose}",
        )
    if not _wants_ops:
        return
    note(
        "operations.unavailable",
        f"operations are counted as PyTorch runs them, and {whose}: give laps their work by "
        "lt.lap(name, flop=...), or count a function by lt.count",
    )
