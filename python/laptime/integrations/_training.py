"""What the callbacks of trainers share: phases while it trains, and figures for its logger."""

from __future__ import annotations

import os

from .._core import StepListener
from . import _autojax, _autotorch

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Training:
    """Splits a training into phases between `begin()` and `end()`, and tells figures of its steps.

    Where phases are on already, below `laptime run`, they are the same ones: nothing is
    counted twice. Copies and what is unpickled are of a training that has not begun.
    """

    def __init__(self) -> None:
        self._listener: StepListener | None = None
        self._process = 0

    def begin(self) -> None:
        """A training begins; one that was cut short before ends first."""
        self.end()
        self._process = os.getpid()
        _autotorch.install()
        _autojax.install()
        self._listener = StepListener("step")
        self._listener.start()

    def figures(self) -> dict[str, float]:
        """Numbers about the steps since the last call; empty when none has ended."""
        window = self._listener.take() if self._listener is not None else None
        return window.metrics() if window is not None else {}

    def end(self) -> None:
        """The training is over, or was cut short; a second time does nothing."""
        listener, self._listener = self._listener, None
        if listener is None:
            return
        listener.stop()
        if self._process == os.getpid():
            _autotorch.uninstall()
            _autojax.uninstall()

    def __copy__(self) -> Training:
        return Training()

    def __deepcopy__(self, memo: object) -> Training:
        return Training()

    def __reduce__(self) -> tuple[Any, ...]:
        return Training, ()
