"""Keras: its steps in Laptime's laps, and their figures in its logs.

    from laptime.integrations.keras import LaptimeCallback

    model.fit(…, callbacks=[LaptimeCallback()])

The history, the progress bar and the callbacks behind it get `laptime/step_ms`,
`laptime/data_share` and the like with each epoch. With PyTorch as Keras's backend a step is split
into data, forward, backward and optimizer. With others it is compiled as a whole: then its phases
are `data`, the wait for a batch, and `train`.
"""

from __future__ import annotations

from .._core import close_span, now, open_span
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
        self._began: int | None = None

    def on_train_begin(self, logs: Any = None) -> None:
        """The training begins."""
        self._is_split = keras.backend.backend() == "torch"
        self._training.begin()

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """The first batch is waited for."""
        self._waits_since = now()

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        """The batch is there."""
        self._began = now()

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """A step has ended.

        Its laps are written now, as a whole: a training that is cut short leaves none open.
        """
        since, began, end = self._waits_since, self._began, now()
        if not self._is_split and since is not None and began is not None:
            step = open_span("step", since)
            close_span(open_span("data", since), began)
            close_span(open_span("train", began), end)
            close_span(step, end)
        self._waits_since, self._began = now(), None

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Adds what is known of the epoch's steps."""
        if isinstance(logs, dict):
            logs.update(self._training.figures())

    def on_train_end(self, logs: Any = None) -> None:
        """The training is over."""
        self._training.end()
