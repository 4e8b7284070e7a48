"""Compares a program under Laptime with the program alone, which is run or was stored.

Before a difference is told the program runs alone twice more. So what is told as Laptime's doing
is neither a program's own whim nor an outcome of earlier that is out of date.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from .conditions import conditions
from .outcome import Outcome
from .programs import Program
from .running import run
from .store import Store
from .ways import Way

Run = Callable[[Program, "Way | None", Path], Outcome]


class Alone(NamedTuple):
    """How a program goes by itself."""

    outcome: Outcome
    is_stored: bool


class Comparison:
    """Compares programs; what they do alone is run once, or never if an earlier session did."""

    def __init__(self, cache: Path, store: Store, *, afresh: bool = False, run: Run = run) -> None:
        """`afresh`: nothing stored counts, and every program runs alone twice, which must agree."""
        self._cache = cache
        self._store = store
        self._afresh = afresh
        self._run = run
        self._alone: dict[Program, Alone] = {}
        #: Why a program can't be compared: it goes differently by itself.
        self._unsteady: dict[Program, str] = {}

    def uses_stored(self, program: Program) -> bool:
        """Whether the program alone was not run, as an earlier session had done it."""
        return program in self._alone and self._alone[program].is_stored

    def complaint(self, program: Program, way: Way) -> str:
        """What is wrong, in words; empty if nothing is."""
        alone = self._go_alone(program)
        if alone is None:
            return self._unsteady[program]
        if not alone.outcome.is_whole:
            return f"{program} does not end by itself:\n{alone.outcome.code}"
        under = self._run(program, way, self._cache)
        if not alone.outcome.difference(under):
            return ""
        alone = self._go_twice(program, None if alone.is_stored else alone.outcome)
        if alone is None:
            return self._unsteady[program]
        # Empty where only the stored outcome was another: it is replaced now.
        difference = alone.outcome.difference(under)
        return f"laptime {way} changes {program}:\n{difference}" if difference else ""

    def _go_alone(self, program: Program) -> Alone | None:
        if program in self._unsteady:
            return None
        if program in self._alone:
            return self._alone[program]
        if self._afresh:
            return self._go_twice(program, None)
        key = conditions(program, self._cache)
        stored = self._store.read(key)
        alone = Alone(stored or self._run(program, None, self._cache), stored is not None)
        if not alone.is_stored:
            self._store.write(key, str(program), alone.outcome)
        self._alone[program] = alone
        return alone

    def _go_twice(self, program: Program, before: Outcome | None) -> Alone | None:
        """Two runs alone, which must go as each other and as the one `before`."""
        first, second = (self._run(program, None, self._cache) for _ in range(2))
        itself = first.difference(second, how="alone again")
        if before and not itself:
            itself = before.difference(first, how="alone again")
        if itself:
            self._unsteady[program] = f"{program} goes differently each time by itself:\n{itself}"
            return None
        self._store.write(conditions(program, self._cache), str(program), first)
        self._alone[program] = Alone(first, is_stored=False)
        return self._alone[program]
