"""Keras: its steps in Laptime's laps, and their figures in its logs.

    from laptime.integrations.keras import LaptimeCallback

    model.fit(…, callbacks=[LaptimeCallback()])

The history, the progress bar and the callbacks behind it get `laptime/step_ms`,
`laptime/data_share` and the like with each epoch. With PyTorch as Keras's backend a step is split
into data, forward, backward and optimizer. With others it is compiled as a whole: then its phases
are `data`, the wait for a batch, and `train`.
"""

from __future__ import annotations

import sys
import weakref

from .._core import close_span, now, open_span, suspend_span
from ._needs import needs
from ._training import Training

try:
    import keras
except ImportError as error:
    raise needs("keras", error) from None

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

__all__ = ["LaptimeCallback"]


class LaptimeCallback(keras.callbacks.Callback):  # type: ignore[misc]
    """Splits a training into phases and puts their figures into Keras's logs."""

    def __init__(self) -> None:
        super().__init__()
        self._training = Training()
        self._is_split = False
        self._waits_since: int | None = None
        #: The laps of the step that runs: `step` and `train`.
        self._open: tuple[int, ...] = ()

    def on_train_begin(self, logs: Any = None) -> None:
        """The training begins."""
        self._forget()
        # What an error cuts short has no end that is told: the list of callbacks dies with `fit`.
        callbacks = sys._getframe(1).f_locals.get("self")
        if isinstance(callbacks, keras.callbacks.CallbackList):
            weakref.finalize(callbacks, self._forget).atexit = False
        self._is_split = keras.backend.backend() == "torch"
        self._training.begin()

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """The first batch is waited for."""
        self._forget()
        self._waits_since = now()

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """The batch is there.

        `step` began with the wait for it. What runs in `train` from here on, such as a compilation,
        is a lap inside.
        """
        self._forget()
        since, began = self._waits_since, now()
        if self._is_split or since is None:
            return
        step = open_span("step", since)
        close_span(open_span("data", since), began)
        self._open = (step, open_span("train", began))

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """A step has ended."""
        end = now()
        for lap in reversed(self._open):
            close_span(lap, end)
        self._open, self._waits_since = (), now()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Adds what is known of the epoch's steps."""
        if isinstance(logs, dict):
            logs.update(self._training.figures())

    def on_test_begin(self, logs: Any = None) -> None:
        """An evaluation is no part of a step that an error cut short."""
        self._forget()

    def on_predict_begin(self, logs: Any = None) -> None:
        """Nor is a prediction."""
        self._forget()

    def _forget(self) -> None:
        """Leaves no lap of a step that never ended."""
        for lap in reversed(self._open):
            suspend_span(lap)
        self._open = ()

    def on_train_end(self, logs: Any = None) -> None:
        """The training is over."""
        self._forget()
        self._training.end()
