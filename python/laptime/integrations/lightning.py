"""Lightning: its steps in Laptime's laps, and their figures in its loggers.

    from laptime.integrations.lightning import LaptimeCallback, LaptimeProfiler

    trainer = Trainer(…, callbacks=[LaptimeCallback()])      # figures go to the trainer's loggers
    trainer = Trainer(…, profiler=LaptimeProfiler())         # a table of Lightning's own actions

Below `laptime run` phases are there with neither; together, nothing is counted twice.
"""

from __future__ import annotations

import importlib
import sys

from .. import _core
from ._actions import Actions
from ._needs import needs
from ._training import Training

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from lightning.pytorch.callbacks import Callback
    from lightning.pytorch.profilers import Profiler
else:
    # The old name is another package, with classes of its own: the one that is used is meant.
    _old = "pytorch_lightning" in sys.modules and "lightning.pytorch" not in sys.modules
    _name = "pytorch_lightning" if _old else "lightning.pytorch"
    try:
        Callback = importlib.import_module(f"{_name}.callbacks").Callback
        Profiler = importlib.import_module(f"{_name}.profilers").Profiler
    except ImportError as error:
        raise needs("lightning", error) from None

__all__ = ["LaptimeCallback", "LaptimeProfiler"]


class LaptimeCallback(Callback):  # type: ignore[misc]
    """Splits a training into phases and gives their figures to the trainer's loggers."""

    def __init__(self) -> None:
        self._training = Training()

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        """The training begins."""
        self._training.begin()

    def on_train_batch_end(
        self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int
    ) -> None:
        """Tells what is known of the steps since the last time, as often as the trainer logs."""
        every = trainer.log_every_n_steps
        if every and (trainer.global_step + 1) % every == 0:
            self._log(trainer)

    def on_train_end(self, trainer: Any, pl_module: Any) -> None:
        """The training is over."""
        self._log(trainer)
        self._training.end()

    def on_exception(self, trainer: Any, pl_module: Any, exception: BaseException) -> None:
        """It was cut short."""
        self._training.end()

    def teardown(self, trainer: Any, pl_module: Any, stage: str) -> None:
        """It is over, however it ended."""
        self._training.end()

    def _log(self, trainer: Any) -> None:
        figures = self._training.figures()
        if figures:
            for logger in trainer.loggers:
                logger.log_metrics(figures, step=trainer.global_step)


class LaptimeProfiler(Profiler):  # type: ignore[misc]
    """Times Lightning's actions and splits the training into phases.

    Actions are rows of their own, as they nest: beside the laps, from which they take no time.
    """

    def __init__(self, dirpath: Any = None, filename: str | None = None) -> None:
        super().__init__(dirpath=dirpath, filename=filename)
        self._training = Training()
        # What the program handles while it trains, which is no end of the training.
        self._handled: BaseException | None = None
        self._actions = Actions()

    def setup(self, stage: str, local_rank: int | None = None, log_dir: str | None = None) -> None:
        """A training, or an evaluation, begins."""
        super().setup(stage, local_rank=local_rank, log_dir=log_dir)
        self._handled = sys.exc_info()[1]
        self._training.begin()

    def start(self, action_name: str) -> None:
        """An action begins."""
        self._actions.start(action_name)

    def stop(self, action_name: str) -> None:
        """It ends. An error that ends the outermost one ends the training: nobody else says so."""
        self._actions.stop(action_name)
        if action_name == "run_training_epoch":
            raised = sys.exc_info()[1]
            if raised is not None and raised is not self._handled:
                self._training.end()

    def summary(self) -> str:
        """The table of the laps and the actions."""
        return str(_core.report())

    def teardown(self, stage: str | None) -> None:
        """It is over."""
        self._handled = None
        self._training.end()
        super().teardown(stage)
