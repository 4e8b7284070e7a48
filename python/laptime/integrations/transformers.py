"""Transformers' Trainer: its steps in Laptime's laps, and their figures in its logs.

    from laptime.integrations.transformers import LaptimeCallback

    trainer = Trainer(…, callbacks=[LaptimeCallback()])

Whatever the Trainer logs to (`report_to=`, its progress bar, `state.log_history`) gets
`laptime/step_ms`, `laptime/data_share` and the like with each entry about steps. Below
`laptime run` phases are there with no callback; with both, nothing is counted twice.
"""

from __future__ import annotations

import sys

from ._needs import needs
from ._training import Training

try:
    from transformers import TrainerCallback
except ImportError as error:
    raise needs("transformers", error) from None

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["LaptimeCallback"]


class LaptimeCallback(TrainerCallback):  # type: ignore[misc]
    """Splits a training into phases and puts their figures into the Trainer's logs."""

    def __init__(self) -> None:
        self._training = Training()

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """The training begins."""
        self._come_first(sys._getframe(1).f_locals.get("self"))
        self._training.begin()

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        """Adds what is known of the steps since the last entry."""
        if not isinstance(logs, dict) or "loss" not in logs:
            return  # of an evaluation, or the last one: about no steps
        figures = self._training.figures()
        logs.update(figures)
        if state.log_history and state.log_history[-1].get("step") == state.global_step:
            state.log_history[-1].update(figures)

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """The training is over."""
        self._training.end()

    def _come_first(self, handler: Any) -> None:
        """Has others see what this one adds: they are called in their order, and come before."""
        callbacks = getattr(handler, "callbacks", None)
        if isinstance(callbacks, list) and self in callbacks:
            callbacks.remove(self)
            callbacks.insert(0, self)
