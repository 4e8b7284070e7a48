"""What else a forward does that was counted: the modules that it calls tell.

A loop may be longer at another call, or a layer left out, and nothing tells so before the call.
Such a call is a *variant*: another stretch. Where one is met, the calls that follow are counted
until it comes again. Until then its calls are left out of the sums, and the rows around them say
so.
"""

from __future__ import annotations

from typing import Any

#: Variants of a forward that are told apart. Beyond them each call is one, which is left out.
_MOST = 256
#: Calls that are counted in vain, at most: what is waited for may never come again.
_MOST_MISSES = 8


class Variant:
    """What a forward does that calls these modules."""

    def __init__(self, stretch: Any, runs_as: int, *, is_waiting: bool = False) -> None:
        self.stretch = stretch
        self.runs_as = runs_as
        """Number of the stretch that the recording is told of when it runs."""
        self.is_waiting = is_waiting
        """Whether it is to be counted: until then another number stands for it."""

    def is_counted_now(self) -> None:
        """From now on it runs under its own number."""
        self.is_waiting = False
        self.runs_as = self.stretch.number


class Variants:
    """Those of one forward, by the modules that were called."""

    def __init__(self, calls: int, stretch: Any) -> None:
        self._known = {calls: Variant(stretch, stretch.number)}
        self._waiting = 0
        self._misses = 0

    def find(self, calls: int) -> Variant | None:
        """What such a call does."""
        return self._known.get(calls)

    def keep(self, calls: int, variant: Variant) -> None:
        """Keeps what such a call does, if that are not too many."""
        if len(self._known) < _MOST:
            self._known[calls] = variant
            self._waiting += variant.is_waiting
        else:
            variant.is_waiting = False

    def are_wanted(self) -> bool:
        """Whether the next call is to be counted, in case that it is one of those that wait."""
        return self._waiting > 0 and self._misses < _MOST_MISSES

    def met(self, variant: Variant) -> bool:
        """A call was counted: whether it was one that waited, or that was never met."""
        if not variant.is_waiting:
            self._misses += 1
            return False
        variant.is_counted_now()
        self._waiting -= 1
        self._misses = 0
        return True
