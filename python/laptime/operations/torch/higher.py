"""Higher-order operators: control flow whose bodies are functions, and attention written as one."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import torch
from torch._subclasses.fake_tensor import FakeTensor

if TYPE_CHECKING:
    from .mode import Counting


def handle(mode: Counting, function: Any, arguments: tuple[Any, ...], keywords: Any) -> Any:
    """Runs a higher-order operator and counts what it runs, as far as that can be told."""
    known: dict[str, Callable[..., Any]] = {
        "cond": _cond,
        "while_loop": _while_loop,
        "scan": _scan,
        "map_impl": _map,
    }
    special = known.get(function.name())
    if special is not None:
        return special(mode, function, *arguments, **keywords)
    out = function(*arguments, **keywords)
    mode.record(function, arguments, keywords, out)
    return out


def _cond(
    mode: Counting, function: Any, predicate: Any, yes: Any, no: Any, operands: Any = ()
) -> Any:
    """The branch that is taken; where that depends on data, the one that costs more."""
    taken = predicate
    if isinstance(predicate, FakeTensor):
        taken = None if predicate.constant is None else bool(predicate.constant)
    if taken is not None:
        with mode:
            return (yes if bool(taken) else no)(*operands)
    (_, one), (_, other) = (mode.alone(lambda run=run: run(*operands)) for run in (yes, no))
    most = yes if (one.flop, one.total_flop) >= (other.flop, other.total_flop) else no
    mode.feed.warn(
        "branch-unknown",
        "which branch of a cond is taken depends on data: the one with more FLOP was counted "
        f"({max(one.flop, other.flop)} rather than {min(one.flop, other.flop)})",
    )
    with mode:
        return most(*operands)


def _while_loop(
    mode: Counting, function: Any, condition: Any, body: Any, carried: Any, more: Any = ()
) -> Any:
    """Real tensors decide when it ends; else one round, an unknown number of times."""
    if any(isinstance(value, FakeTensor) for value in _flat((carried, more))):
        mode.begin_loop(None)
        try:
            with mode:
                condition(*carried, *more)
                return tuple(body(*carried, *more))
        finally:
            mode.end_loop()
    with mode:
        while bool(condition(*carried, *more)):
            carried = body(*carried, *more)
    return tuple(carried)


def _scan(
    mode: Counting, function: Any, combine: Any, first: Any, values: Any, more: Any = ()
) -> Any:
    """One round, as often as there are slices."""
    rounds = int(values[0].shape[0]) if values else 0
    mode.begin_loop(rounds)
    try:
        with mode:
            combine(*first, *(value[0] for value in values), *more)
    finally:
        mode.end_loop()
    return function(combine, first, values, more)


def _map(mode: Counting, function: Any, body: Any, values: Any, more: Any = ()) -> Any:
    rounds = int(values[0].shape[0]) if values else 0
    mode.begin_loop(rounds)
    try:
        with mode:
            body(*(value[0] for value in values), *more)
    finally:
        mode.end_loop()
    return function(body, values, more)


def _flat(values: Any) -> list[Any]:
    from torch.utils import _pytree

    return [leaf for leaf in _pytree.tree_leaves(values) if isinstance(leaf, torch.Tensor)]
