"""Timers as files. Existing ones are replaced."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from operator import index
from os import PathLike
from typing import Any, cast

from ..._core import csv_field, write_output
from .timers import Timers, check_name, seconds_of


def export_timing_csv(timers: Timers, path: str | PathLike[str], section_name: str) -> None:
    """Writes the columns Section, Model, Time (s) (RFC 4180), with all digits.

    Further values of a dictionary become further columns, those of dictionaries inside it as
    `outer.inner`.
    """
    check_name("section_name", section_name)
    seconds_of(timers)
    write_output(path, as_csv(section_name, dict(timers)))


def export_timing_json(timers: Timers, path: str | PathLike[str], section_name: str) -> None:
    """Writes `{"section", "timestamp", "timers": {name: seconds or dictionary}}`.

    The timestamp is ISO 8601 with the local offset. Not-a-number and infinity become null.
    """
    check_name("section_name", section_name)
    seconds_of(timers)
    timestamp = datetime.now().astimezone().isoformat(timespec="seconds")
    write_output(path, as_json(section_name, timestamp, dict(timers)))


def as_csv(section: str, timers: dict[str, Any]) -> str:
    """One line a timer: section, name, seconds, and what else the dictionaries hold."""
    rows = {name: dict(_cells("", _plain(value))) for name, value in timers.items()}
    columns = dict.fromkeys(column for cells in rows.values() for column in cells)
    columns.pop("time", None)
    lines = [["Section", "Model", "Time (s)", *map(csv_field, columns)]]
    for name, cells in rows.items():
        told = (csv_field(_told(cells.get(column))) for column in ("time", *columns))
        lines.append([csv_field(section), csv_field(name), *told])
    return "".join(",".join(line) + "\r\n" for line in lines)


def as_json(section: str, timestamp: str, timers: dict[str, Any]) -> str:
    """Indented by two, a timer a line."""
    lines = [f"{_json(name)}: {_json(_plain(value))}" for name, value in timers.items()]
    inside = "{" + ",".join(f"\n    {line}" for line in lines) + ("\n  }" if lines else "}")
    head = f'"section": {_json(section)},\n  "timestamp": {_json(timestamp)}'
    return f'{{\n  {head},\n  "timers": {inside}\n}}\n'


def _json(value: Any) -> str:
    # Lone surrogates have no bytes.
    return json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace").decode()


def _plain(value: Any) -> Any:
    """What JSON has of it: numbers of numpy and torch are numbers, all else is its text."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, dict):
        entries = cast("dict[Any, Any]", value)
        return {str(name): _plain(one) for name, one in entries.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in cast("list[Any]", value)]
    for number_of in (index, _real):
        try:
            number = number_of(value)
        except (TypeError, ValueError):
            continue  # a tensor of real numbers has no index, one of several numbers none at all
        return number if math.isfinite(number) else None
    return str(value)


def _real(value: Any) -> float:
    """Of a number: `float` would read texts too."""
    return math.fsum((value,))


def _cells(prefix: str, value: Any) -> Iterator[tuple[str, Any]]:
    """Columns and what stands in them; seconds are called `time` wherever they stand."""
    if not isinstance(value, dict):
        yield prefix or "time", value
        return
    for name, one in cast("dict[str, Any]", value).items():
        yield from _cells(f"{prefix}.{name}" if prefix else name, one)


def _told(value: Any) -> str:
    """Numbers with all their digits and without an exponent."""
    if value is None or isinstance(value, str):
        return value or ""
    if isinstance(value, float):
        return format(Decimal(repr(value)), "f").removesuffix(".0")
    return _json(value)
