"""Weights & Biases: figures of the steps in a run.

from laptime.integrations import wandb as laptime_wandb

wandb.init(project="…")
laptime_wandb.log(every=50)
"""

from __future__ import annotations

import importlib

from .._step_sink import StepSink
from ._needs import needs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .._core import StepWindow

__all__ = ["log"]


def log(run: Any = None, *, every: int = 50, name: str = "step", commit: bool = False) -> StepSink:
    """Adds `laptime/step_ms`, `laptime/data_share`, … to a run at every so many steps.

    Until `.stop()`. `run` is that of the program by default, which `wandb.init` began. The figures
    go into the row that the program's own next `run.log` writes, so its steps keep their numbers;
    of several windows before it the last one is kept. `commit=True` writes a row for each,
    for a program that logs nothing itself.
    """
    if run is None:
        try:
            wandb: Any = importlib.import_module("wandb")
        except ImportError as error:
            raise needs("wandb", error) from None
        run = wandb.run
        if run is None:
            raise RuntimeError("there is no run yet: call wandb.init(...) first, or pass the run")
    kept = run

    def tell(window: StepWindow) -> None:
        kept.log({f"laptime/{name}": window.step, **window.metrics()}, commit=commit)

    return StepSink(every, tell, name=name, what="wandb")
