"""A part of a program: lines of source for the places where it takes part.

In them `$name` is what the program keeps from step to step, wherever it keeps it; `$model` is the
model, however it is held. `source` has the places.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Part:
    """One value of one dimension."""

    name: str
    #: In the module: classes, functions, globals.
    defs: str = ""
    #: In the model's `__init__` and between its body and its head, where `h` is (batch, 8).
    init: str = ""
    forward: str = ""
    #: In `build`, once the model and the optimizer are there.
    setup: str = ""
    #: Names of `setup` that a step needs.
    keeps: str = ""
    #: Lines of the step, by place.
    step: dict[str, str] = field(default_factory=dict)
    #: What other parts ask for, or can't go with.
    is_: frozenset[str] = frozenset()
    #: Chosen less often: it is slow, or nobody can put it back.
    rare: bool = False


def part(
    name: str,
    *,
    is_: str = "",
    rare: bool = False,
    defs: str = "",
    init: str = "",
    forward: str = "",
    setup: str = "",
    keeps: str = "",
    **step: str,
) -> Part:
    """A part, its lines as they stand in the table."""
    return Part(name, defs, init, forward, setup, keeps, step, frozenset(is_.split()), rare)
