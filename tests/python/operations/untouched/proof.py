"""Trains a program twice, once with a count in the midst, and says where the two differ."""

from __future__ import annotations

import contextlib
import signal
import threading
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

import laptime as lt

from .program import Look, Program, alone
from .recipe import Recipe
from .source import Source

#: Steps before the count; every third program is counted before its first.
BEFORE = (2, 2, 0)
AFTER = 2
#: What counts a call: `lt.count`, or what stands in for it in the tests of these tests.
Count = Callable[..., Any]


class Stop(Exception):
    """Raised by a program that is to end."""


@dataclass(frozen=True)
class Verdict:
    """What became of one program."""

    #: "untouched", "refused", or what is wrong: "changed", "later" (as training went on),
    #: "raised", "swallowed", "crashed"; "broken" is a program that doesn't run by itself.
    outcome: str
    #: The first difference, the refusal, or what was raised.
    why: str = ""

    @property
    def holds(self) -> bool:
        """Whether the count left no trace."""
        return self.outcome in ("untouched", "refused")


def proved(number: int, recipe: Recipe, count: Count | None = None) -> Verdict:
    """Both lives of a program, compared. Without `count` it is `lt.count`."""
    with warnings.catch_warnings(), alone(number), _eager(recipe):
        warnings.simplefilter("ignore")
        # What starts tests in the background has it ignored, or fatal.
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            return _proved(number, recipe, count or lt.count)
        except Exception as error:  # what can't even be looked at any more
            return Verdict("changed", f"<look> {type(error).__name__}: {error}"[:500])
        finally:
            signal.signal(signal.SIGINT, handler)


def _proved(number: int, recipe: Recipe, count: Count) -> Verdict:
    source = Source(number, recipe)
    before = BEFORE[number % len(BEFORE)]
    reached: set[int] = set()
    try:
        plain = Program(number, recipe, source)
        plain.module.tick = reached.add
        plain.train(before + AFTER)
        expected = plain.look()
        counted = Program(number, recipe, source)
        counted.train(before)
    except Exception as error:
        return Verdict("broken", f"{type(error).__name__}: {error}"[:500])
    kill = _Kill(recipe, sorted(reached), number) if "kills" in recipe["end"].is_ else None
    if kill is not None:
        counted.module.tick = kill
    # Made once, lest what is passed be another object after the count.
    was = counted.look()
    try:
        outcome = _counted(counted, count, kill)
    finally:
        if kill is not None:
            kill.armed = False
    if isinstance(outcome, _Inside):
        was, now, error = outcome.was, outcome.now, outcome.error
    else:
        error, now = outcome, counted.look()
    difference = was.difference(now, same_run=True)
    if difference is not None:
        return Verdict("changed", difference)
    try:
        if isinstance(outcome, _Inside) and outcome.later is not None:
            raise outcome.later
        counted.train(AFTER - isinstance(outcome, _Inside))
    except Exception as raised:
        return Verdict("later", f"{type(raised).__name__}: {raised}"[:500])
    difference = expected.difference(counted.look(), same_run=False)
    if difference is not None:
        return Verdict("later", difference)
    if _is_refusal(error):
        return Verdict("refused", f"{type(error).__name__}: {error}")
    if kill is not None and kill.met.is_set():
        if not isinstance(error, kill.kind):
            return Verdict("swallowed", f"{kill.kind.__name__} did not come out: {error!r:.300}")
    elif error is not None:
        return Verdict("raised", f"{type(error).__name__}: {error}"[:500])
    return Verdict("untouched")


def _is_refusal(error: BaseException | None) -> bool:
    return isinstance(error, lt.LaptimeError) or type(error).__name__ == "NeedsValues"


@dataclass
class _Inside:
    """What a count within a step left."""

    was: Look
    now: Look
    error: BaseException | None
    #: What the rest of the step raised.
    later: Exception | None = None


def _counted(program: Program, count: Count, kill: _Kill | None) -> BaseException | _Inside | None:
    how = program.recipe["count"].name
    if how == "inside a step, by a hook":
        return _inside(program, count, kill)
    if "step" in program.recipe["count"].is_:
        mode = {"step on real tensors": "real", "step on fake tensors": "fake"}.get(how, "auto")
        arguments = program.arguments()

        def call() -> None:
            count(program.step, *arguments, mode=mode)
    else:
        mode = "real" if "real" in how else "auto"
        with_backward = "backward" in how

        def call() -> None:
            count(program.model, program.input(), backward=with_backward, mode=mode)

    if kill is not None:
        kill.armed = True
    if how == "step, in a thread":
        raised: list[BaseException] = []
        thread = threading.Thread(target=lambda: raised.extend(filter(None, [_caught(call)])))
        thread.start()
        thread.join()
        return raised[0] if raised else None
    error = _caught(call)
    if how == "step, twice" and error is None:
        error = _caught(call)
    return error


def _inside(program: Program, count: Count, kill: _Kill | None) -> _Inside:
    found: list[_Inside] = []

    def probe(module: Any, inputs: tuple[Any, ...]) -> None:
        program.module.probe = _nothing
        was = program.look()
        if kill is not None:
            kill.armed = True
        error = _caught(lambda: count(module, *inputs, backward=torch.is_grad_enabled()))
        if kill is not None:
            kill.armed = False
        found.append(_Inside(was, program.look(), error))

    program.module.probe = probe
    try:
        program.train(1)
    except Exception as error:
        found[0].later = error
    (inside,) = found
    return inside


def _nothing(module: Any, inputs: tuple[Any, ...]) -> None:
    pass


def _caught(call: Callable[[], Any]) -> BaseException | None:
    try:
        call()
    except BaseException as error:
        # Its frames would keep what the count made.
        return error.with_traceback(None)
    return None


class _Kill:
    """Ends a program at one of its places, as often as it comes there."""

    def __init__(self, recipe: Recipe, places: list[int], number: int) -> None:
        self.armed = False
        # An event: the count puts back what the program can reach, and it reaches this object.
        self.met = threading.Event()
        self._at = places[number % len(places)]
        self._how = recipe["end"].name
        self.kind: type[BaseException] = {
            "raises an exception": Stop,
            "raises RuntimeError": RuntimeError,
            "runs out of memory": MemoryError,
            "recurses too deeply": RecursionError,
            "is interrupted": KeyboardInterrupt,
            "exits": SystemExit,
        }[self._how]

    def __call__(self, place: int) -> None:
        if not self.armed or place != self._at:
            return
        self.met.set()
        if self._how == "is interrupted":
            signal.raise_signal(signal.SIGINT)
        elif self._how == "recurses too deeply":
            _deeper()
        else:
            raise self.kind("the program ends here")


def _deeper() -> int:
    return _deeper() + 1


def _eager(recipe: Recipe) -> contextlib.AbstractContextManager[Any]:
    """Compiled models run as they were written: compiling takes a second for each."""
    if "compiled" in recipe["wrapped"].is_:
        return torch.compiler.set_stance("force_eager")
    return contextlib.nullcontext()
