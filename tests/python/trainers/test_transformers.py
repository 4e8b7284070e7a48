"""Transformers' own Trainer with Laptime's callback."""

from __future__ import annotations

import copy
import pickle
from pathlib import Path
from typing import Any

import pytest
from training import Timed, items

import laptime as lt
from laptime import _core
from laptime.integrations.torch import phases

transformers = pytest.importorskip("transformers")
pytest.importorskip("accelerate")

from laptime.integrations.transformers import LaptimeCallback


def trainer(folder: Path, model: Timed, callbacks: list[Any], **options: Any) -> Any:
    arguments = transformers.TrainingArguments(
        str(folder),
        max_steps=9,
        per_device_train_batch_size=4,
        logging_steps=3,
        disable_tqdm=True,
        save_strategy="no",
        use_cpu=True,
        **{"report_to": [], **options},
    )
    return transformers.Trainer(model, arguments, train_dataset=items(), callbacks=callbacks)


def test_figures_are_in_the_trainers_own_log_and_fit_its_timer(tmp_path: Path) -> None:
    model = Timed()
    training = trainer(tmp_path, model, [LaptimeCallback()])
    training.train()
    entries = [entry for entry in training.state.log_history if "loss" in entry]
    assert len(entries) == 3
    assert all("laptime/step_ms" in entry for entry in entries)
    row = lt.report()[("step", "forward")]
    assert lt.report()[("step",)].count == row.count == 9
    # The phase is around what the timer is around.
    assert 0 < model.forward_s <= row.total_ns / 1e9
    assert _core.current_path() == []


def test_figures_reach_tensorboard_by_its_own_callback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("tensorboard")
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    monkeypatch.setenv("TENSORBOARD_LOGGING_DIR", str(tmp_path / "tb"))
    trainer(tmp_path, Timed(), [LaptimeCallback()], report_to=["tensorboard"]).train()
    read = EventAccumulator(str(tmp_path / "tb"))
    read.Reload()
    assert [event.step for event in read.Scalars("train/laptime/step_ms")] == [3, 6, 9]


def test_with_phases_on_already_nothing_is_counted_twice(tmp_path: Path) -> None:
    with phases():
        trainer(tmp_path, Timed(), [LaptimeCallback()]).train()
    assert lt.report()[("step",)].count == 9
    assert ("step", "step") not in lt.report()


def test_a_training_that_fails_passes_its_error_on_and_can_be_repeated(tmp_path: Path) -> None:
    model = Timed()
    model.fails_at = 5
    callback = LaptimeCallback()
    training = trainer(tmp_path, model, [callback])
    with pytest.raises(RuntimeError, match="the training's own"):
        training.train()
    training.train()
    assert _core.current_path() == []
    with lt.lap("after"):
        pass
    assert ("after",) in lt.report()


def test_a_callback_is_copied_and_pickled_in_the_midst_of_a_training() -> None:
    callback = LaptimeCallback()
    callback._training.begin()
    try:
        for other in (copy.deepcopy(callback), pickle.loads(pickle.dumps(callback))):
            assert other._training._listener is None
    finally:
        callback._training.end()
