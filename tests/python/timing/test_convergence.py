"""When metrics reach thresholds, in every shape that results come in."""

from __future__ import annotations

import logging
import math
from typing import Any

import pytest

from laptime.compat.timing import output
from laptime.timing import calculate_convergence_metrics

LOSSES = [0.9, 0.5, 0.2, 0.09, 0.12]
ACCURACIES = [0.3, 0.8, 0.96, 0.94]


def test_a_loss_converges_downwards() -> None:
    found = calculate_convergence_metrics(LOSSES, 0.1)
    assert (found["epochs_to_converge"], found["converged"]) == (4, True)
    assert (found["best_value"], found["best_epoch"]) == (0.09, 4)
    assert (found["final_value"], found["total_epochs"]) == (0.12, 5)
    assert (found["time_to_converge"], found["time_source"]) == (None, "no times are known")
    assert found["reason"] is None


def test_an_accuracy_converges_upwards() -> None:
    found = calculate_convergence_metrics(ACCURACIES, 0.95, mode="max")
    assert (found["epochs_to_converge"], found["best_value"]) == (3, 0.96)


@pytest.mark.parametrize(("mode", "epochs"), [("min", 2), ("max", 1)])
def test_reaching_the_threshold_exactly_counts(mode: Any, epochs: int) -> None:
    found = calculate_convergence_metrics([0.5, 0.25, 0.1], 0.25, mode)
    assert found["epochs_to_converge"] == epochs


def test_a_threshold_never_reached_is_said() -> None:
    found = calculate_convergence_metrics({"loss": LOSSES, "epoch_time": [1] * 5}, 0.01)
    assert (found["converged"], found["epochs_to_converge"]) == (False, None)
    assert found["time_to_converge"] is None
    assert found["reason"] == (
        "not reached: 'loss' has best 0.09 at epoch 4 of 5; at most 0.01 was asked"
    )


def test_dictionaries_of_columns_and_sequences_of_dictionaries() -> None:
    columns = {
        "name": ["a"] * 5,
        "epoch": [0, 1, 2, 3, 4],
        "loss": LOSSES,
        "acc": [0.1, 0.9, 0.9, 0.9, 0.9],
        "epoch_time": [2.0, 1.0, 1.0, 1.5, 1.0],
    }
    rows = [dict(zip(columns, row)) for row in zip(*columns.values())]
    for results in (columns, rows):
        found = calculate_convergence_metrics(results, 0.1)
        assert (found["metric"], found["epochs_to_converge"]) == ("loss", 4)
        assert found["time_to_converge"] == 5.5
        assert found["time_source"] == "column 'epoch_time', summed"
        found = calculate_convergence_metrics(results, 0.9, "max", column="acc")
        assert (found["epochs_to_converge"], found["time_to_converge"]) == (2, 3.0)
    found = calculate_convergence_metrics({1: 0.9, 2: 0.05}, 0.1)
    assert found["epochs_to_converge"] == 2


def test_times_since_the_start_are_taken_as_they_are() -> None:
    found = calculate_convergence_metrics({"loss": [1.0, 0.1], "elapsed": [3.0, 7.0]}, 0.1)
    assert (found["time_to_converge"], found["time_source"]) == (7.0, "column 'elapsed'")


def test_times_of_their_own() -> None:
    found = calculate_convergence_metrics([1.0, 0.1, 0.1], 0.1, times=[2, 3, 4])
    assert (found["time_to_converge"], found["time_source"]) == (5.0, "times, summed")
    found = calculate_convergence_metrics([1.0, 0.1, 0.1, 0.1], 0.1, times=8.0)
    assert (found["time_to_converge"], found["time_source"]) == (4.0, "times, spread evenly")
    with pytest.raises(ValueError, match="times has 2 entries for 1 epochs"):
        calculate_convergence_metrics([1.0], 0.1, times=[1, 2])


def test_data_frames_and_arrays() -> None:
    np = pytest.importorskip("numpy")
    pd = pytest.importorskip("pandas")
    columns = {"model": ["m"] * 5, "epoch": range(5), "loss": LOSSES, "time": [1.0] * 5}
    frames: list[Any] = [pd.DataFrame(columns)]
    frames.append(pytest.importorskip("polars").DataFrame(columns))
    for frame in frames:
        found = calculate_convergence_metrics(frame, 0.1)
        assert (found["metric"], found["epochs_to_converge"]) == ("loss", 4)
        assert found["time_to_converge"] == 4.0
        assert calculate_convergence_metrics(frame["loss"], 0.1)["epochs_to_converge"] == 4
    assert calculate_convergence_metrics(np.array(LOSSES), 0.1)["epochs_to_converge"] == 4
    found = calculate_convergence_metrics({"loss": np.array(LOSSES, dtype="float32")}, 0.1)
    assert (found["metric"], found["epochs_to_converge"]) == ("loss", 4)


def test_values_that_are_no_numbers_reach_nothing() -> None:
    found = calculate_convergence_metrics([None, math.nan, -math.inf, 0.05], 0.1)
    assert found["epochs_to_converge"] == 4
    found = calculate_convergence_metrics([math.nan, math.nan], 0.1)
    assert (found["best_value"], found["final_value"]) == (None, None)
    assert "no finite value" in str(found["reason"])


def test_a_mode_that_looks_wrong_is_questioned(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(output, "_said", set())
    with caplog.at_level(logging.WARNING, "laptime"):
        calculate_convergence_metrics({"acc": ACCURACIES}, 0.95)
    assert "'acc' meets the threshold from the first epoch on" in caplog.text


@pytest.mark.parametrize(
    ("results", "keywords", "error", "message"),
    [
        (3, {}, TypeError, "results is a sequence, a dictionary or a DataFrame, not int"),
        ("abc", {}, TypeError, "not str"),
        ([], {}, ValueError, "results hold no epoch"),
        (["a"], {}, TypeError, "a metric holds numbers, not str"),
        ({"name": ["a"]}, {}, ValueError, "no numeric column for a metric; columns: 'name'"),
        ({}, {}, ValueError, "columns: none"),
        ({"loss": [1.0]}, {"column": "acc"}, KeyError, "no column 'acc'; columns: 'loss'"),
        ([1.0], {"mode": "best"}, ValueError, "mode is"),
        ([1.0], {"threshold": math.nan}, ValueError, "threshold is nan"),
        ([1.0], {"threshold": "0.1"}, TypeError, "threshold is a number, not str"),
    ],
)
def test_wrong_arguments_are_named(
    results: Any, keywords: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        calculate_convergence_metrics(results, **{"threshold": 0.1, **keywords})
