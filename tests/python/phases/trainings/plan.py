"""What a generated training does, by its number."""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import Enum


class Place(Enum):
    """Where in a step something stands."""

    BEFORE_FORWARD = "before the forward"
    BEFORE_BACKWARD = "before the backward"
    AFTER_BACKWARD = "after the backward"
    AFTER_UPDATE = "after the update"


class Source(Enum):
    """Where batches come from."""

    TENSORS = "tensors"
    PASSES = "passes of a loader"
    KEPT = "one iterator for all passes"
    AHEAD = "fetched before they are needed"
    BEHIND = "a loader that keeps one back"


class Says(Enum):
    """How a program says that it evaluates."""

    NO_GRAD_AROUND = "no_grad around the loop"
    NO_GRAD_INSIDE = "no_grad inside the loop"
    MODE = "the model's mode"


@dataclass
class Validation:
    """A validation with batches of its own; at the end of a pass where it has no place."""

    batches: int
    place: Place | None
    every: int
    says: Says
    is_left_early: bool
    has_loss: bool


@dataclass
class Plan:
    """What a training does."""

    number: int
    source: Source
    ahead: Place
    batches: int
    passes: int
    begins_ms: float
    gap_ms: float
    micro_batches: int
    counts_on: bool
    two_optimizers: bool
    has_penalty: bool
    has_loss: bool
    has_teacher: bool
    prepares: bool | None
    """A module without parameters prepares the batch, with gradients or without."""
    zeroes: Place | None
    zeroes_first: bool
    dry_run_ms: float | None
    """The model is tried out, and the program sets up other things for so long."""
    validation: Validation | None
    answers: Place | None
    has_accuracy: bool
    compiles: bool
    own_ms: float

    @property
    def has_fetch(self) -> bool:
        """Whether a batch is fetched right before its forward."""
        return self.source not in (Source.TENSORS, Source.AHEAD)


def plan(number: int) -> Plan:
    """The training of a number."""
    chance = random.Random(number)

    def maybe(ratio: float = 0.5) -> bool:
        return chance.random() < ratio

    def gap() -> float:
        return chance.choice([0.0, 0.0, 3.0, 70.0])

    places = list(Place)
    validation = Validation(
        batches=chance.randint(1, 3),
        place=chance.choice([None, *places]),
        every=chance.randint(1, 3),
        says=chance.choice(list(Says)),
        is_left_early=maybe(),
        has_loss=maybe(),
    )
    chosen = Plan(
        number=number,
        source=chance.choice(
            [Source.TENSORS, Source.PASSES, Source.PASSES, Source.KEPT, Source.AHEAD, Source.BEHIND]
        ),
        ahead=chance.choice(places[1:]),
        batches=chance.randint(2, 5),
        passes=chance.randint(1, 3),
        begins_ms=chance.choice([0.0, 2.0, 20.0]),
        gap_ms=gap(),
        micro_batches=chance.randint(1, 3),
        counts_on=maybe(),
        two_optimizers=maybe(0.3),
        has_penalty=maybe(0.3),
        has_loss=maybe(),
        has_teacher=maybe(0.3),
        prepares=chance.choice([None, None, True, False]),
        zeroes=chance.choice([None, places[0], places[1], places[3]]),
        zeroes_first=maybe(),
        dry_run_ms=gap() if maybe(0.3) else None,
        validation=validation if maybe(0.6) else None,
        answers=chance.choice(places) if maybe(0.3) else None,
        has_accuracy=maybe(0.3),
        compiles=maybe(0.05),
        own_ms=chance.choice([0.0, 0.2]),
    )
    return without_riddles(chosen)


def without_riddles(plan: Plan) -> Plan:
    """Leaves out what has no one meaning, or one that no event tells."""
    is_first = plan.answers is Place.BEFORE_FORWARD
    zeroes = plan.zeroes_first or plan.zeroes is Place.BEFORE_FORWARD
    late = plan.source is Source.AHEAD and plan.ahead is Place.AFTER_UPDATE
    if plan.source is Source.TENSORS:
        plan.has_accuracy = plan.has_teacher = plan.two_optimizers = False
        plan.dry_run_ms = None
        is_riddle = zeroes and is_first
    elif late:
        is_riddle = is_first or plan.answers is Place.AFTER_UPDATE
    else:
        is_riddle = is_first
    if is_riddle:
        plan.answers = None
    if not plan.has_fetch and plan.answers not in (None, Place.BEFORE_BACKWARD):
        plan.prepares = None
    if plan.source is Source.AHEAD:
        plan.has_accuracy = False
    is_one_back = (plan.source is Source.AHEAD and not late) or plan.source is Source.BEHIND
    if plan.micro_batches > 1 or is_one_back:
        plan.two_optimizers = False
    if plan.two_optimizers:
        plan.has_teacher = False
    validation = plan.validation
    if validation is not None:
        if plan.source is Source.TENSORS and validation.place is Place.BEFORE_FORWARD:
            validation.is_left_early = False
        if validation.place is Place.BEFORE_BACKWARD and validation.says is Says.MODE:
            validation.is_left_early &= not (plan.has_loss or plan.has_penalty)
        has_more = plan.answers is not None or plan.prepares is not None or plan.has_teacher
        validation.is_left_early &= not has_more
    return plan
