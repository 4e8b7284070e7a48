"""Which parts a program has: chosen by its number, so that programs cover all pairs of parts.

In blocks of 500. Each program begins with a pair that no program of its block had before; then its
dimensions get parts in a random order, of some the one that makes the most new pairs, as long as
all go together (`fits`).
"""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Mapping

from .part import Part
from .parts import DIMENSIONS

BLOCK = 500
#: Of which the one with the most new pairs is taken.
CANDIDATES = 5
#: How often a dimension without need has its plain part.
PLAIN = 0.4
#: These have no plain part: each of theirs is as usual as the others.
_EVEN = ("held", "rest", "optimizer", "data", "count")
#: Most counts return, lest programs differ for one reason only.
_ENDS_WELL = 0.85

Recipe = Mapping[str, Part]
#: Dimension, part, dimension, part, in the order of the dimensions.
Pair = tuple[str, str, str, str]
_ORDER = {dimension: index for index, dimension in enumerate(DIMENSIONS)}


def plain() -> dict[str, Part]:
    """The first part of every dimension."""
    return {dimension: parts[0] for dimension, parts in DIMENSIONS.items()}


def described(recipe: Recipe) -> str:
    """A program in a line: its parts that aren't plain."""
    return (
        " · ".join(
            f"{dimension}: {part.name}"
            for dimension, part in recipe.items()
            if part is not DIMENSIONS[dimension][0]
        )
        or "plain"
    )


def recipe(number: int) -> dict[str, Part]:
    """What a program is made of."""
    return _block(number // BLOCK)[number % BLOCK]


@functools.cache
def _block(number: int) -> list[dict[str, Part]]:
    dice = random.Random(number)
    waiting = all_pairs()
    dice.shuffle(waiting)
    covered: set[Pair] = set()
    programs: list[dict[str, Part]] = []
    while len(programs) < BLOCK:
        chosen = None
        while waiting and chosen is None:
            pair = waiting.pop()
            if pair not in covered:
                chosen = with_pair(pair)
        program = _filled(dice, chosen or {}, covered)
        covered |= pairs(program)
        programs.append(program)
    return programs


def all_pairs() -> list[Pair]:
    """Every two parts of different dimensions, whether they go together or not."""
    found: list[Pair] = []
    for one, other in itertools.combinations(DIMENSIONS, 2):
        for part, another in itertools.product(DIMENSIONS[one], DIMENSIONS[other]):
            found.append((one, part.name, other, another.name))
    return found


def pairs(recipe: Recipe) -> set[Pair]:
    """Every two parts of different dimensions that meet in a program."""
    names = [(dimension, part.name) for dimension, part in recipe.items()]
    return {(*one, *other) for one, other in itertools.combinations(names, 2)}


def with_pair(pair: Pair) -> dict[str, Part] | None:
    """The parts of a pair, and what one more dimension must be for them; none if they don't fit."""
    given = {
        dimension: next(part for part in DIMENSIONS[dimension] if part.name == name)
        for dimension, name in (pair[:2], pair[2:])
    }
    return _possible(given)


def with_part(dimension: str, part: Part) -> dict[str, Part]:
    """A program with one part, plain otherwise as far as that goes."""
    given = _possible({dimension: part})
    assert given is not None, f"{part.name} goes with nothing"
    return {**plain(), **given}


def _possible(given: dict[str, Part]) -> dict[str, Part] | None:
    if fits({**plain(), **given}):
        return given
    for dimension in ("network", "optimizer"):
        for part in () if dimension in given else DIMENSIONS[dimension]:
            if fits({**plain(), **given, dimension: part}):
                return {**given, dimension: part}
    return None


def _filled(dice: random.Random, given: Recipe, covered: set[Pair]) -> dict[str, Part]:
    """A program with the given parts, the others at random."""
    program = {**plain(), **given}
    settled = dict(given)
    order = [dimension for dimension in DIMENSIONS if dimension not in given]
    dice.shuffle(order)
    for dimension in order:
        parts = [_one(dice, dimension, DIMENSIONS[dimension]) for _ in range(CANDIDATES)]
        if parts[0] is not DIMENSIONS[dimension][0] or dimension in _EVEN:
            fitting = [part for part in parts if fits({**program, dimension: part})]
            if fitting:
                program[dimension] = max(
                    fitting, key=lambda part: _new(dimension, part, settled, covered)
                )
        settled[dimension] = program[dimension]
    return program


def _new(dimension: str, part: Part, settled: Recipe, covered: set[Pair]) -> int:
    """How many pairs a part makes with those settled that there weren't before."""
    new = 0
    for other, another in settled.items():
        one, two = (dimension, part.name), (other, another.name)
        pair = (*one, *two) if _ORDER[dimension] < _ORDER[other] else (*two, *one)
        new += pair not in covered
    return new


def _one(dice: random.Random, dimension: str, parts: tuple[Part, ...]) -> Part:
    if dimension not in _EVEN and dice.random() < (_ENDS_WELL if dimension == "end" else PLAIN):
        return parts[0]
    part = dice.choice(parts)
    return dice.choice(parts) if part.rare else part


def fits(recipe: Recipe) -> bool:
    """Whether parts can go together in a program that runs."""
    tags = frozenset().union(*(part.is_ for part in recipe.values()))
    of = {dimension: part.is_ for dimension, part in recipe.items()}
    name = {dimension: part.name for dimension, part in recipe.items()}
    has = tags.__contains__
    optimizer = of["optimizer"]
    return not any(
        (
            # A schedule, a scaler and hooks of steps need an optimizer of torch.
            has("schedule") and "optimizer" not in optimizer,
            has("schedule") and name["optimizer"] == "AdamW with a tensor as rate",
            name["schedule"] == "OneCycleLR" and "optimizer" not in optimizer,
            has("needs_optimizer") and "optimizer" not in optimizer,
            has("groups") and (has("schedule") or name["optimizer"] in ("SAM", "LBFGS")),
            has("scaler") and "scaled" not in optimizer,
            has("scaler") and has("delayed"),
            # Those that call the model themselves order gradients themselves.
            ("shape" in of["gradients"]) and "accumulates" not in optimizer,
            name["gradients"] in ("clipped", "one dropped, one scaled in place")
            and (has("closure") or has("inside")),
            # Its weights have a gradient for each use, the first of which would change them.
            has("inside") and has("reentrant") and name["wrapped"] == "shared module",
            has("inside") and (has("replaces") or has("delayed") or has("distributed")),
            has("closure") and (has("delayed") or has("double")),
            name["optimizer"] == "LBFGS" and has("hooks of the optimizer's step"),
            name["optimizer"] == "Nesterov in two groups" and name["schedule"] == "OneCycleLR",
            # Inputs that are numbers get gradients and noise, indices don't.
            has("input") and "floating" not in of["network"],
            has("needs_transformer") and not has("transformer"),
            has("casts") and name["precision"] != "plain",
            has("double") and (name["network"] in ("recurrent", "attention") or has("reentrant")),
            # A script is compiled as it stands.
            has("script")
            and not all(
                "scriptable" in of[dimension]
                for dimension in ("network", "layer", "cache", "randomness", "hook", "twist")
            ),
            has("script") and (has("hooks") or name["average"] not in ("none", "dict of clones")),
            has("uncopied") and has("copies"),
            has("copies")
            and (has("delayed") or name["metric"] == "list of losses with their graphs"),
            has("copies") and has("sharded"),
            # Wrappers of whole models.
            has("distributed") and not _suits_distributed(recipe, name),
            has("compiled") and (has("functional") or has("copies")),
            has("outer") and has("functional"),
            name["wrapped"] in ("tied", "shared module") and has("functional"),
            name["twist"] == "module replaced" and name["average"] == "dict of clones",
            name["wrapped"] == "frozen"
            and (has("double") or name["twist"] == "requires_grad toggled"),
            # Parametrized weights are made anew at each call.
            name["wrapped"] in ("weight norm", "spectral norm", "old weight norm")
            and (has("functional") or has("reentrant")),
            has("thread") and (has("thread_local") or has("kills")),
            has("delayed") and name["cache"] == "replay memory",
            has("swallows") and has("kills"),
            has("delayed") and name["gradients"] == "accumulated",
        )
    )


def _suits_distributed(recipe: Recipe, name: Mapping[str, str]) -> bool:
    """Whether it is a program for several ranks: one forward, one backward, nothing exchanged."""
    return (
        name["optimizer"] in ("SGD", "momentum", "AdamW", "AdamW foreach")
        and name["gradients"] in ("to none first", "to none last")
        and name["twist"] in ("none", "branch on the loss", "log of a module")
        and name["cache"] in ("none", "attribute made at the first call", "list of tensors")
        and name["network"] in ("linear", "convolution", "attention")
        and name["precision"] in ("plain", "autocast to bfloat16")
        and name["average"] in ("none",)
        and name["hook"] in ("none", "forward hook that writes outside")
    )


def named(**names: str) -> dict[str, Part]:
    """A program with these parts, the others plain."""
    chosen = plain()
    for dimension, name in names.items():
        chosen[dimension] = next(it for it in DIMENSIONS[dimension] if it.name == name)
    return chosen
