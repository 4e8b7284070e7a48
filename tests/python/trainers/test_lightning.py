"""Lightning's own Trainer with Laptime's callback and profiler."""

from __future__ import annotations

import copy
import csv
import pickle
from pathlib import Path
from typing import Any

import pytest
import torch
from training import Timed

import laptime as lt
from laptime import _core
from laptime.integrations.torch import phases

lightning = pytest.importorskip("lightning")
from lightning.pytorch.loggers import CSVLogger

from laptime.integrations.lightning import LaptimeCallback, LaptimeProfiler


class Model(lightning.LightningModule):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.timed = Timed()

    def training_step(self, batch: Any, index: int) -> Any:
        return self.timed(batch[0])["loss"]

    def configure_optimizers(self) -> Any:
        return torch.optim.SGD(self.parameters(), 0.1)


def fit(folder: Path, model: Model | None = None, **options: Any) -> Any:
    data = torch.utils.data.TensorDataset(torch.randn(40, 8))
    trainer = lightning.Trainer(
        max_epochs=1,
        accelerator="cpu",
        logger=CSVLogger(folder),
        log_every_n_steps=5,
        enable_progress_bar=False,
        enable_checkpointing=False,
        enable_model_summary=False,
        **options,
    )
    trainer.fit(model or Model(), torch.utils.data.DataLoader(data, batch_size=4))
    return trainer


def test_figures_are_in_the_trainers_logger_and_fit_the_models_timer(tmp_path: Path) -> None:
    model = Model()
    trainer = fit(tmp_path, model, callbacks=[LaptimeCallback()])
    with open(Path(trainer.logger.log_dir) / "metrics.csv") as file:
        rows = list(csv.DictReader(file))
    assert sum("laptime/step_ms" in row and row["laptime/step_ms"] != "" for row in rows) >= 2
    assert all(
        not row.get("laptime/data_share") or 0 <= float(row["laptime/data_share"]) <= 1
        for row in rows
    )
    report = lt.report()
    assert report[("step",)].count == 10
    forward_s = report[("step", "forward")].total_ns / 1e9
    # The phase is around what the timer is around.
    assert 0 < model.timed.forward_s <= forward_s
    assert _core.current_path() == []


def test_the_profiler_tells_lightnings_actions_and_the_laps(tmp_path: Path) -> None:
    profiler = LaptimeProfiler()
    fit(tmp_path, profiler=profiler)
    summary = profiler.summary()
    assert "run_training_batch" in summary
    assert "backward" in summary
    assert lt.report()[("step",)].count == 10


def test_actions_are_rows_as_they_nest_and_take_nothing_from_steps(tmp_path: Path) -> None:
    fit(tmp_path, profiler=LaptimeProfiler())
    report = lt.report()
    rows = [report[path] for path in report]
    epoch = ("run_training_epoch",)
    batch = (*epoch, "run_training_batch")
    assert (report[epoch].count, report[batch].count) == (1, 10)
    for around in (epoch, batch):
        inside = [row for row in rows if row.names[:-1] == list(around)]
        assert inside
        taken = sum(row.total_ns for row in inside)
        assert report[around].self_ns == report[around].total_ns - taken
    # No action stands among the phases of a step, and the parts of a step are no more than it is.
    step = report[("step",)]
    parts = [row for row in rows if row.names[:-1] == ["step"]]
    assert {row.names[-1] for row in parts} <= {"data", "forward", "loss", "backward", "optimizer"}
    assert sum(row.total_ns for row in parts) <= step.total_ns
    assert step.self_ns == step.total_ns - sum(row.total_ns for row in parts)


def test_all_at_once_count_each_step_once(tmp_path: Path) -> None:
    with phases():
        fit(tmp_path, callbacks=[LaptimeCallback()], profiler=LaptimeProfiler())
    assert lt.report()[("step",)].count == 10


def test_a_training_that_fails_leaves_no_lap_open(tmp_path: Path) -> None:
    model = Model()
    model.timed.fails_at = 3
    with pytest.raises(RuntimeError, match="the training's own"):
        fit(tmp_path, model, callbacks=[LaptimeCallback()], profiler=LaptimeProfiler())
    assert _core.current_path() == []


def test_copies_and_pickles_are_of_a_training_that_has_not_begun(tmp_path: Path) -> None:
    for made in (LaptimeCallback(), LaptimeProfiler()):
        for other in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
            assert other._training._listener is None
