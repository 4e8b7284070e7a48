"""``torch.compile``: its time as a span of its own, and how it is kept from Laptime's code.

Dynamo is imported lazily, mostly long after torch; nothing here imports it. It traces torch's
functions as they are, for nothing of theirs is replaced.
"""

from __future__ import annotations

import sys
from typing import Any

from .._core import Watched
from .._post_import import wait_no_more, when_imported

CALLBACKS = "torch._dynamo.callback"
#: Part of torch's binary, and there before dynamo is.
FRAMES = "torch._C._dynamo.eval_frame"


class Compilation:
    """What dynamo tells."""

    def __init__(self, phases: Any) -> None:
        self._watched = {
            "run_start_callbacks": Watched("compile begin", phases),
            "run_end_callbacks": Watched("compile end", phases),
        }
        self._active = False
        frames = sys.modules.get(FRAMES)
        if frames is not None:
            phases.compiles_by(frames.set_eval_frame)

    def apply(self) -> None:
        """Sees compilations begin and end from now on."""
        self._active = True
        when_imported(CALLBACKS, self._listen)

    def remove(self) -> None:
        """Undoes :meth:`apply`."""
        self._active = False
        wait_no_more(self)
        for watched in self._watched.values():
            watched.take()

    def _listen(self, callback: Any) -> None:
        handler = getattr(callback, "CompilationCallbackHandler", None)
        if handler is None or not self._active:
            return
        # On the class: `torch._dynamo.reset()` forgets callbacks that were registered.
        for name, watched in self._watched.items():
            watched.put(handler.__dict__[name])
