"""`DetailedTimer`: named phases of something longer."""

from __future__ import annotations

import logging

from ..._core import close_span, now, open_span, ticks_to_seconds, visible_text
from .output import say
from .summary import share
from .timers import check_name

_WIDTH = 40


class DetailedTimer:
    """Phases with their seconds, in host time. They may repeat, nest and overlap.

    Every phase is a span. One that runs inside itself is counted once.
    """

    def __init__(self, name: str = "Timer") -> None:
        check_name("name", name)
        self.name = name
        self._ticks: dict[str, int] = {}
        self._open: list[tuple[str, int, int]] = []
        self._covered = 0
        self._covered_since = 0

    def start_phase(self, phase: str) -> None:
        """Opens a phase."""
        check_name("phase", phase)
        begun = now()
        token = open_span(phase, begun)
        if not self._open:
            self._covered_since = begun
        self._open.append((phase, token, begun))

    def end_phase(self, phase: str | None = None) -> float | None:
        """Closes a phase, by default the one opened last, and returns its seconds.

        Closing what is not open is logged and returns None.
        """
        ended = now()
        places = [at for at, one in enumerate(self._open) if phase is None or one[0] == phase]
        if not places:
            said = "a phase" if phase is None else repr(phase)
            logging.getLogger("laptime").warning("%s was ended but not started", said)
            return None
        name, token, begun = self._open.pop(places[-1])
        close_span(token, ended)
        if name not in (one[0] for one in self._open):
            self._ticks[name] = self._ticks.get(name, 0) + ended - begun
        if not self._open:
            self._covered += ended - self._covered_since
        return ticks_to_seconds(ended - begun)

    def _so_far(self) -> tuple[dict[str, int], int]:
        """Ticks by phase and covered by any, those of open phases included."""
        at = now()
        ticks = dict(self._ticks)
        seen: set[str] = set()
        for name, _, begun in self._open:
            ticks[name] = ticks.get(name, 0) + (0 if name in seen else at - begun)
            seen.add(name)
        return ticks, self._covered + (at - self._covered_since if self._open else 0)

    @property
    def phases(self) -> dict[str, float]:
        """Seconds by phase so far, in the order of their first end."""
        return {name: ticks_to_seconds(ticks) for name, ticks in self._so_far()[0].items()}

    @property
    def total(self) -> float:
        """Seconds during which at least one phase was open."""
        return ticks_to_seconds(self._so_far()[1])

    def print_breakdown(self) -> None:
        """Prints the phases, longest first, with their shares of `total`."""
        ticks, covered = self._so_far()
        seconds = {name: ticks_to_seconds(one) for name, one in ticks.items()}
        say(layout(self.name, seconds, ticks_to_seconds(covered)))

    def __repr__(self) -> str:
        return f"<laptime.timing.DetailedTimer {self.name!r}>"


def layout(name: str, seconds: dict[str, float], covered: float) -> str:
    """The table, to the character: people parse it. All may exceed 100 %, as phases nest."""
    longest_first = sorted(seconds.items(), key=lambda item: -item[1])
    lines = [
        f"{visible_text(name)} - Detailed Breakdown:",
        "-" * _WIDTH,
        *(
            f"  {visible_text(phase):<20}: {one:>8.2f}s ({share(one, covered) * 100:5.1f}%)"
            for phase, one in longest_first
        ),
        "-" * _WIDTH,
    ]
    return "\n".join(lines)
