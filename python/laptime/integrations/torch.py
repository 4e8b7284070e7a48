"""Automatic phases and modules for PyTorch, from inside a program.

    from laptime.integrations.torch import phases

    with phases(modules=True):
        train()
    print(laptime.report())

`laptime run` and `lt.record(phases=True)` do the same. Importing this imports no torch: the
phases begin when the program has imported it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from ._autotorch import install, uninstall

__all__ = ["install", "phases", "uninstall"]


@contextmanager
def phases(*, modules: bool = False, ops: bool = False) -> Iterator[None]:
    """Splits training into steps, data, forward, backward and optimizer while it lasts.

    `modules` adds time per module, forward and backward; `ops` counts operations.
    """
    install(modules=modules, ops=ops)
    try:
        yield
    finally:
        uninstall()
