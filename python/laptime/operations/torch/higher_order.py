"""Higher-order operators: control flow whose bodies are functions, and attention written as one.

A loop's body is run once and counted as often as the loop turns, where that is known.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_tensor import FakeTensor, unset_fake_temporarily

from . import flex_attention

if TYPE_CHECKING:
    from .mode import Counting

#: Rounds of a loop that are run one by one; a longer one is an open loop.
ROUNDS = 100_000


def signature(function: Any) -> tuple[str, list[str]]:
    """The name by which formulas know an operator, and those of its arguments."""
    name = str(function.name())
    if name.startswith("triton_kernel_wrapper"):
        return "triton::kernel", []
    return (
        f"higher_order::{name}",
        flex_attention.ARGUMENTS if name in flex_attention.OPERATORS else [],
    )


def handle(mode: Counting, function: Any, arguments: tuple[Any, ...], keywords: Any) -> Any:
    """Runs a higher-order operator and counts what it runs, as far as that can be told."""
    name = str(function.name())
    special = _KNOWN.get(name)
    if special is not None:
        return special(mode, function, *arguments, **keywords)
    out = function(*arguments, **keywords)
    if name in flex_attention.OPERATORS:
        arguments = flex_attention.sizes(name, arguments, keywords)
        keywords = None
    mode.record(function, arguments, keywords, out)
    return out


def _truth(value: Any) -> bool | None:
    """What a condition is, where that is known."""
    if isinstance(value, FakeTensor):
        with unset_fake_temporarily():
            return None if value.constant is None else bool(value.constant)
    return bool(value)


def _cond(
    mode: Counting, function: Any, predicate: Any, yes: Any, no: Any, operands: Any = ()
) -> Any:
    """The branch that is taken; where that depends on data, the one that costs more."""
    taken = _truth(predicate)
    if taken is not None:
        with mode:
            return (yes if taken else no)(*operands)
    one, other = (mode.alone(lambda run=run: run(*operands)) for run in (yes, no))
    most = yes if (one.flop, one.total_flop) >= (other.flop, other.total_flop) else no
    mode.feed.warn(
        "branch-unknown",
        "data decide which branch of a cond is taken: the one with more FLOP was counted "
        f"({max(one.flop, other.flop)}), and not the other one ({min(one.flop, other.flop)})",
    )
    with mode:
        return most(*operands)


def _while_loop(
    mode: Counting, function: Any, condition: Any, body: Any, carried: Any, more: Any = ()
) -> Any:
    """Round by round where the end can be told, else one round an unknown number of times."""
    for _ in range(ROUNDS):
        with mode:
            goes_on = _truth(condition(*carried, *more))
        if goes_on is False:
            return tuple(carried)
        if goes_on is None:
            break
        with mode:
            carried = tuple(body(*carried, *more))
    mode.begin_loop(None)
    try:
        with mode:
            return tuple(body(*carried, *more))
    finally:
        mode.end_loop()


def _scan(
    mode: Counting,
    function: Any,
    combine: Any,
    first: Any,
    slices: Any,
    more: Any = (),
    **rest: Any,
) -> Any:
    """One round, as often as there are slices."""
    _round(mode, slices, lambda parts: combine(*first, *parts, *more))
    return function(combine, first, slices, more, **rest)


def _map(mode: Counting, function: Any, body: Any, slices: Any, more: Any = (), **rest: Any) -> Any:
    _round(mode, slices, lambda parts: body(*parts, *more))
    return function(body, slices, more, **rest)


def _round(mode: Counting, slices: Any, run: Callable[[list[Any]], Any]) -> None:
    rounds = int(slices[0].shape[0]) if slices else 0
    parts = [torch.empty_like(part[0]) if rounds else part for part in slices]
    mode.begin_loop(rounds)
    try:
        with mode:
            run(parts)
    finally:
        mode.end_loop()


_KNOWN: dict[str, Callable[..., Any]] = {
    "cond": _cond,
    "while_loop": _while_loop,
    "scan": _scan,
    "map_impl": _map,
}
