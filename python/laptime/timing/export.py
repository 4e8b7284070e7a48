"""Timers as files. Existing ones are replaced."""

from __future__ import annotations

from datetime import datetime
from os import PathLike

from .._core import timing_csv, timing_json, write_output
from .timers import Timers, check_name, seconds_of


def export_timing_csv(timers: Timers, path: str | PathLike[str], section_name: str) -> None:
    """Writes the columns Section, Model, Time (s) (RFC 4180), with all digits.

    Further values of a dictionary become further columns, those of dictionaries inside it as
    `outer.inner`.
    """
    check_name("section_name", section_name)
    seconds_of(timers)
    write_output(path, timing_csv(section_name, dict(timers)))


def export_timing_json(timers: Timers, path: str | PathLike[str], section_name: str) -> None:
    """Writes `{"section", "timestamp", "timers": {name: seconds or dictionary}}`.

    The timestamp is ISO 8601 with the local offset. Not-a-number and infinity become null.
    """
    check_name("section_name", section_name)
    seconds_of(timers)
    timestamp = datetime.now().astimezone().isoformat(timespec="seconds")
    write_output(path, timing_json(section_name, timestamp, dict(timers)))
