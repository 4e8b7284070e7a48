"""What timers in a training say: how often each phase came, and the bounds of its time."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter_ns as now


def works(ms: float) -> None:
    """Works for so long."""
    end = now() + round(ms * 1e6)
    while now() < end:
        pass


class Timers:
    """Counts and times by path; a phase's time is between those inside of it and around it."""

    def __init__(self) -> None:
        self.counts: dict[str, int] = defaultdict(int)
        self.inside: dict[str, int] = defaultdict(int)
        self.around: dict[str, int] = defaultdict(int)
        """Of units: from the first of their phases to the last, without others."""
        self.epochs = 0
        self._path: str | None = None
        self._last: str | None = None
        self._is_zeroed = False
        self._unit: tuple[str, int, int] | None = None

    def within(self, ms: float) -> None:
        """The call that is being timed works, where its phase is surely under way."""
        since = now()
        works(ms)
        if self._path is not None:
            self.inside[self._path] += now() - since

    @contextmanager
    def phase(self, path: str, counts: bool = True) -> Iterator[None]:
        """Times a call around it; forwards that follow each other count as one."""
        unit = path.partition("/")[0]
        goes_on = path == "step/forward" and self._last == path
        self.counts[path] += counts and not goes_on
        if self._unit is None or self._unit[0] != unit:
            self.breaks()
            self._unit = unit, now(), now()
        self._path = path
        since = now()
        try:
            yield
        finally:
            end = now()
            self.around[path] += end - since
            self._unit = *self._unit[:2], end
            self._path, self._last = None, path

    def zeroes(self, is_after: bool):
        """An optimizer zeroes before its step, which goes on with that, or after it."""
        counts = not is_after and not self._is_zeroed
        self._is_zeroed |= not is_after
        return self.phase("step/optimizer", counts)

    def updates(self):
        """Weights are updated."""
        counts = not self._is_zeroed
        self._is_zeroed = False
        return self.phase("step/optimizer", counts)

    def breaks(self) -> None:
        """What comes now is of no unit, or of another one."""
        if self._unit is not None:
            unit, since, end = self._unit
            self.around[unit] += end - since
        self._unit = self._last = None
