"""MLflow: figures of the steps as metrics of a run.

from laptime.integrations import mlflow as laptime_mlflow

with mlflow.start_run():
    laptime_mlflow.log(every=50)
    train()
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


def log(run_id: str | None = None, *, every: int = 50, name: str = "step") -> StepSink:
    """Logs `laptime/step_ms`, `laptime/data_share`, … at every so many steps, until `.stop()`.

    To the active run by default, as it is now; none is begun.
    """
    try:
        mlflow: Any = importlib.import_module("mlflow")
    except ImportError as error:
        raise needs("mlflow", error) from None
    if run_id is None:
        active = mlflow.active_run()
        if active is None:
            raise RuntimeError("no run is active: call mlflow.start_run() first, or pass run_id")
        run_id = active.info.run_id

    def tell(window: StepWindow) -> None:
        mlflow.log_metrics(window.metrics(), step=window.step, run_id=run_id)

    return StepSink(every, tell, name=name, what="mlflow")
