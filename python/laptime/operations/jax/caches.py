"""Leaves what JAX and the process keep as they are: random numbers, and caches of traces.

JAX keeps a trace of every jitted function, and doesn't run its Python again for the same shapes. A
count has traces of its own: the program's functions are then traced when they would be without it.
"""

from __future__ import annotations

import itertools
import random
import sys
from contextlib import ExitStack, contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_counts = itertools.count()


@contextmanager
def undisturbed() -> Iterator[None]:
    """Within it random numbers may be drawn and functions traced; nothing of it stays."""
    numpy: Any = sys.modules.get("numpy")
    torch: Any = sys.modules.get("torch")
    with ExitStack() as undo:
        undo.callback(random.setstate, random.getstate())
        if numpy is not None:
            undo.callback(numpy.random.set_state, numpy.random.get_state())
        if torch is not None:
            undo.enter_context(torch.random.fork_rng(devices=[]))
        _own_traces(undo)
        yield


def _own_traces(undo: ExitStack) -> None:
    try:
        from jax.experimental.xla_metadata import set_xla_metadata
    except ImportError:  # Older than 0.4.36: its traces are shared.
        return
    # A note for the compiler, which nothing is compiled with: traces are kept for each apart.
    undo.enter_context(set_xla_metadata(laptime_count=str(next(_counts))))
