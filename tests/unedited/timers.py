"""Timers that programs place by hand: what each phase took and how often it came.

Every process of a program appends one line to the file that `UNEDITED_TIMES` names. A timer costs
about a microsecond.
"""

from __future__ import annotations

import atexit
import json
import os
from collections.abc import Iterable, Iterator
from time import perf_counter_ns as now
from typing import Any


class Timer:
    """Count and total time of one phase."""

    def __init__(self) -> None:
        self.count = 0
        self.total_ns = 0
        self.since: int | None = None

    def __enter__(self) -> None:
        self.since = now()

    def __exit__(self, *_: object) -> None:
        self.stop(True)

    def stop(self, counts: bool) -> None:
        """Ends what is being timed; a piece of something longer isn't counted."""
        assert self.since is not None
        at = now()
        self.total_ns += at - self.since
        self.count += counts
        self.since = None
        _last[0] = at


class Piece:
    """Times what belongs to the phase and isn't counted."""

    def __init__(self, timer: Timer) -> None:
        self.timer = timer

    def __enter__(self) -> None:
        self.timer.since = now()

    def __exit__(self, *_: object) -> None:
        self.timer.stop(False)


_timers: dict[str, Timer] = {}
_pieces: dict[str, Piece] = {}
_counts: dict[str, int] = {}
_first, _last = [0], [0]


def _timer(name: str) -> Timer:
    if name not in _timers:
        _timers[name] = Timer()
        _pieces[name] = Piece(_timers[name])
        _first[0] = _first[0] or now()
    return _timers[name]


def timed(name: str, counts: bool = True) -> Timer | Piece:
    """Times a `with` block."""
    timer = _timer(name)
    return timer if counts else _pieces[name]


def begin(name: str) -> None:
    """Starts a phase that no block encloses; one that runs goes on."""
    timer = _timer(name)
    if timer.since is None:
        timer.since = now()


def end(name: str, counts: bool = True) -> None:
    """Ends what :func:`begin` started."""
    _timers[name].stop(counts)


def counted(name: str) -> None:
    """One more of something that has no time of its own."""
    _counts[name] = _counts.get(name, 0) + 1


def fetched(loader: Iterable[Any], unit: str = "step") -> Iterator[Any]:
    """The batches of a loader.

    The wait for each is `data`, and begins a `unit`. A step ends where the program says so, an
    evaluation with the next wait. The wait that brings no batch is a piece of what was before.
    """
    is_step = unit == "step"
    data, whole = _timer("data" if is_step else f"{unit} data"), _timer(unit)
    opens = whole.since is None
    begin(unit)
    data.since = now()
    batches = iter(loader)
    while True:
        try:
            batch = next(batches)
        except StopIteration:
            data.stop(False)
            if opens:
                whole.stop(False)
            return
        data.stop(True)
        yield batch
        if not is_step:
            whole.stop(True)
        opens = whole.since is None
        begin(unit)
        data.since = now()


def write() -> None:
    """Appends this process's times, once."""
    if not _timers:
        return
    line = {
        "spanned_ns": _last[0] - _first[0],
        "timers": {name: [timer.count, timer.total_ns] for name, timer in _timers.items()},
        "counts": _counts,
    }
    with open(os.environ["UNEDITED_TIMES"], "a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    _timers.clear()


atexit.register(write)
