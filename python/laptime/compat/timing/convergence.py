"""When a metric reaches a threshold: in epochs and, where times are known, in seconds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate
from typing import Any, Literal, TypedDict, cast

from .output import say_why
from .timers import to_seconds

# Columns that count or time epochs; the others may be metrics.
_COUNTERS = frozenset({"epoch", "epochs", "step", "steps", "iteration", "iterations", "index"})
_EPOCH_TIMES = ("epoch_time", "epoch_times", "epoch_seconds", "time", "times", "seconds")
_RUNNING_TIMES = ("elapsed", "elapsed_time", "elapsed_seconds", "cumulative_time", "wall_time")


class ConvergenceMetrics(TypedDict):
    """Epochs count from 1; times are seconds; what cannot be told is None."""

    epochs_to_converge: int | None
    time_to_converge: float | None
    converged: bool
    reason: str | None
    time_source: str
    metric: str | None
    threshold: float
    mode: str
    best_value: float | None
    best_epoch: int | None
    final_value: float | None
    total_epochs: int


def calculate_convergence_metrics(
    results: Any,
    threshold: float,
    mode: Literal["min", "max"] = "min",
    *,
    column: str | None = None,
    times: float | Sequence[float] | None = None,
) -> ConvergenceMetrics:
    """Finds the first epoch whose metric is at most (`mode="min"`, a loss) or at least
    (`mode="max"`, an accuracy) the threshold.

    `results` is a sequence of numbers, one an epoch; a dictionary or DataFrame of columns; or a
    sequence of dictionaries, one an epoch. The metric is the column named, or the first numeric
    one that neither counts nor times epochs. Seconds come from `times`: one number an epoch, or
    one for all epochs together, then spread evenly; without it from a column called `epoch_time`,
    `time` or `seconds` (of each epoch) or `elapsed` or `wall_time` (since the start).
    A threshold that was not reached gives None, and `reason` says how near the run came.
    """
    if mode not in ("min", "max"):
        raise ValueError(f'mode is "min" or "max", not {mode!r}')
    if isinstance(threshold, (bool, str)) or not hasattr(threshold, "__float__"):
        raise TypeError(f"threshold is a number, not {type(threshold).__name__}")
    limit = float(threshold)
    if not math.isfinite(limit):
        raise ValueError(f"threshold is {limit}: nothing can reach it")
    columns = _columns_of(results)
    name = _metric_of(columns, column)
    values = _numbers(columns[name])
    if not values:
        raise ValueError("results hold no epoch")
    seconds, source = _seconds(columns, times, len(values))
    finite = [(at, one) for at, one in enumerate(values) if math.isfinite(one)]
    reached = (at for at, one in finite if (one <= limit if mode == "min" else one >= limit))
    first = next(reached, None)
    best_of = min if mode == "min" else max
    best = best_of(finite, key=lambda one: one[1], default=None)
    label = "the metric" if name is None else repr(name)
    if first == 0 and len(values) > 1:
        say_why(f"{label} meets the threshold from the first epoch on: is mode={mode!r} meant?")
    final = values[-1]
    reason = None
    if first is None:
        nearest = "no finite value" if best is None else f"best {best[1]!r} at epoch {best[0] + 1}"
        side = "at most" if mode == "min" else "at least"
        reason = f"not reached: {label} has {nearest} of {len(values)}; {side} {limit!r} was asked"
    return {
        "epochs_to_converge": None if first is None else first + 1,
        "time_to_converge": None if first is None or seconds is None else seconds[first],
        "converged": first is not None,
        "reason": reason,
        "time_source": source,
        "metric": name,
        "threshold": limit,
        "mode": mode,
        "best_value": None if best is None else best[1],
        "best_epoch": None if best is None else best[0] + 1,
        "final_value": final if math.isfinite(final) else None,
        "total_epochs": len(values),
    }


def _listed(values: Any) -> list[Any] | None:
    """A list of what a column holds; None for what is no column."""
    for method in ("to_list", "tolist"):
        if callable(getattr(values, method, None)):
            values = getattr(values, method)()
            break
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        return None
    return list(cast("Iterable[Any]", values))


def _columns_of(results: Any) -> dict[str | None, list[Any]]:
    """Columns by name; a plain series is a column without one."""
    if isinstance(results, Mapping):
        held = cast("Mapping[Any, Any]", results)
        if held and all(_is_number(value) for value in held.values()):
            return {None: list(held.values())}
        found = {str(name): _listed(value) for name, value in held.items()}
    elif hasattr(results, "columns"):
        found = {str(name): _listed(results[name]) for name in results.columns}
    else:
        rows = _listed(results)
        if rows is None:
            kind = type(results).__name__
            raise TypeError(f"results is a sequence, a dictionary or a DataFrame, not {kind}")
        if not (rows and all(isinstance(row, Mapping) for row in rows)):
            return {None: rows}
        records = cast("list[Mapping[Any, Any]]", rows)
        names = dict.fromkeys(str(name) for record in records for name in record)
        found = {name: [record.get(name) for record in records] for name in names}
    return {name: column for name, column in found.items() if column is not None}


def _is_number(value: Any) -> bool:
    return hasattr(value, "__float__") and not isinstance(value, bool) and not _is_array(value)


def _is_array(value: Any) -> bool:
    return len(getattr(value, "shape", ())) > 0 or hasattr(value, "to_list")


def _is_numeric(column: list[Any]) -> bool:
    known = [value for value in column if value is not None]
    return bool(known) and all(_is_number(value) for value in known)


def _metric_of(columns: dict[str | None, list[Any]], column: str | None) -> str | None:
    named = [name for name in columns if name is not None]
    shown = ", ".join(map(repr, named)) or "none"
    if column is not None:
        if column not in columns:
            raise KeyError(f"results have no column {column!r}; columns: {shown}")
        return column
    if None in columns:
        return None
    others = _COUNTERS.union(_EPOCH_TIMES, _RUNNING_TIMES)
    for name in named:
        if name.lower() not in others and _is_numeric(columns[name]):
            return name
    raise ValueError(f"results have no numeric column for a metric; columns: {shown}")


def _numbers(column: list[Any]) -> list[float]:
    """Values as floats; an absent one is not a number."""
    wrong = [value for value in column if value is not None and not _is_number(value)]
    if wrong:
        raise TypeError(f"a metric holds numbers, not {type(wrong[0]).__name__}")
    return [math.nan if value is None else float(value) for value in column]


def _seconds(
    columns: dict[str | None, list[Any]], times: Any, epochs: int
) -> tuple[list[float] | None, str]:
    """Seconds since the start at the end of every epoch, and where they come from."""
    if times is not None:
        listed = _listed(times)
        if listed is None:
            whole = to_seconds("times", times)
            return [whole * (at + 1) / epochs for at in range(epochs)], "times, spread evenly"
        return _summed("times", listed, epochs), "times, summed"
    by_name = {name.lower(): name for name in columns if name is not None}
    for known in (*_EPOCH_TIMES, *_RUNNING_TIMES):
        if known in by_name and _is_numeric(columns[by_name[known]]):
            name = by_name[known]
            if known in _RUNNING_TIMES:
                return _checked(repr(name), columns[name], epochs), f"column {name!r}"
            return _summed(repr(name), columns[name], epochs), f"column {name!r}, summed"
    return None, "no times are known"


def _checked(what: str, listed: list[Any], epochs: int) -> list[float]:
    if len(listed) != epochs:
        raise ValueError(f"{what} has {len(listed)} entries for {epochs} epochs")
    return [to_seconds(f"{what}[{at}]", one) for at, one in enumerate(listed)]


def _summed(what: str, listed: list[Any], epochs: int) -> list[float]:
    checked = _checked(what, listed, epochs)
    return list(accumulate(checked))
