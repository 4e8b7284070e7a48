"""Ranges that a program starts and ends by a number, and that may overlap: those of one library."""

from __future__ import annotations

from .._core import AsideSpan, note

# As many that were started and not ended are kept.
_MOST_KEPT = 10_000


class StartedRanges:
    """The ranges of one library that are going on.

    Where no tool is attached, a library gives them all the same number, or none. Then the end of
    one is told from others' only if no other was going on.
    """

    def __init__(self, function: str) -> None:
        self._function = function
        self._numbered: dict[object, tuple[AsideSpan, str]] = {}
        self._unnumbered: list[tuple[AsideSpan, str]] = []
        self._overlapped = False

    def start(self, number: object, name: object) -> None:
        """A range started, and this is its number."""
        started = AsideSpan(str(name)), str(name)
        if number not in (None, 0):
            if len(self._numbered) < _MOST_KEPT:
                self._numbered[number] = started
            return
        if len(self._unnumbered) < _MOST_KEPT:
            self._unnumbered.append(started)
        self._overlapped |= len(self._unnumbered) > 1

    def end(self, number: object) -> None:
        """The range of a number ended."""
        if number in (None, 0):
            self._end_unnumbered()
        elif started := self._numbered.pop(number, None):
            started[0].end()

    def forget(self) -> list[str]:
        """Names of those that were not ended. None of them is going on any more."""
        left = [*self._numbered.values(), *self._unnumbered]
        self._numbered, self._unnumbered, self._overlapped = {}, [], False
        return [name for _, name in left]

    def _end_unnumbered(self) -> None:
        if not self._unnumbered:
            return
        started, _ = self._unnumbered.pop()
        if not self._overlapped:
            started.end()
            return
        if self._unnumbered:
            note(
                "ranges.unnumbered",
                f"ranges of {self._function} overlapped and are no laps: where no tool is attached "
                "they have no numbers of their own, and nothing tells which of them ended",
            )
        self._overlapped = bool(self._unnumbered)
