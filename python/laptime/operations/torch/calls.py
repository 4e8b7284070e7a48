"""The run that is counted: a call, its loss, its backward."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from functools import partial
from types import AsyncGeneratorType, CoroutineType, GeneratorType
from typing import Any

import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from ..._core import Feed, LaptimeError, OpCounts
from ...world import World
from . import world as worlds
from .children import is_running_elsewhere, leave_in_children
from .collective import reduce_gradients
from .fakes import NeedsValues, lacks_values
from .handles import Handles, hand_over
from .lazy_modules import refuse
from .masks import look_as_in_a_real_run
from .mode import Counting
from .places import Places, follow
from .reach import Arguments, Target
from .sharding import unsee
from .stage import Stage, WouldWrite, outside_of_inference
from .survivors import Survivors
from .values import needs_values


class Call:
    """A call that is counted, once or on several stages."""

    def __init__(
        self,
        function: Any,
        inputs: tuple[Any, ...],
        kwargs: dict[str, Any],
        *,
        backward: bool,
        loss: Callable[[Any], Any] | None,
        ranks: int,
    ) -> None:
        self.function = function
        self.arguments = Arguments(inputs, kwargs)
        self.backward = backward
        self.loss = loss
        self.ranks = ranks
        #: What takes part and has no values, if something does.
        self.without: str | None = None
        #: Whether something would have written to what was there before.
        self.refused = False
        #: What could not be put back after a run, this or an earlier one.
        self._failed: list[str] = []

    def run(self, *, fake: bool, copies: bool = False, why: str | None = None) -> OpCounts:
        """Counts it, and leaves everything as it was. `why` it isn't run on fake tensors."""
        survivors = Survivors()
        world = worlds.world()
        world.undo.insert(0, survivors.forget)
        try:
            counts = world.run(lambda: self._count(world, survivors, fake, copies, why))
        finally:
            self._failed += world.state.failed()
        return counts._warned(self._failed)

    def _count(
        self, world: World, survivors: Survivors, fake: bool, copies: bool, why: str | None
    ) -> OpCounts:
        self.refused = False
        if is_running_elsewhere():
            raise LaptimeError(
                "another thread is counting at the moment, and both counts would change the same "
                "switches of PyTorch: count one after the other"
            )
        for outer in _get_current_dispatch_mode_stack():
            if type(outer) is Counting:
                # A count within a count: what this one runs is none of the outer call's work.
                world.undo.append(partial(outer.swap_feed, outer.swap_feed(Feed())))
        target = Target(world, self.function, self.arguments)
        if self.loss is not None:
            world.state.reach([("loss", self.loss)])
        refuse(target.named.values())
        self.without = lacks_values(target.tensors())
        if self.without and not fake:
            raise NeedsValues(f"{self.without} has a shape and no values")
        if not fake and target.is_sharded():
            raise LaptimeError(
                "a model under fully_shard takes its own memory away and back, so it can't be "
                "counted on real tensors: count the model before it is sharded"
            )
        stage = Stage.fake(target.tensors()) if fake else Stage.real(copies=copies)
        survivors.fake_mode = stage.fake_mode if stage.is_new else None
        stage.copies |= target.writes()
        stage.weights.update(target.weights(buffers=fake))
        feed = Feed()
        if why is not None:
            feed.warn(
                "real-tensors",
                f"counted with real tensors, because fake ones did not work: {why}",
            )
        mode = Counting(feed, stage.fake_mode, stage)
        handles = Handles(stage)
        mode.over = handles.over
        mode.below(handles)
        places = Places(mode, target)
        handles.exchange_fakes(target.everything())
        worlds.keep_gradients(world, target.everything())
        for module in target.scripted():
            for tensor in worlds.keep_script(world, module):
                stage.lend(tensor)
        worlds.set_switches(world, stage.fake_mode)
        worlds.unhook_saving(world)
        leave_in_children(world, worlds.keep_modes(world, stage.fake_mode))
        look_as_in_a_real_run(world, handles.standing)
        world.undo.append(handles.clear)
        follow(world, mode, places.meet, places.meet_elsewhere)
        unsee(world)
        hand_over(world, handles)
        if self.backward:
            guard = outside_of_inference()
            world.undo.append(partial(guard.__exit__, None, None, None))
            guard.__enter__()
        with stage.fake_mode or nullcontext(), mode, handles:
            try:
                if self.backward:
                    self._train()
                else:
                    has_run(self._call())
            finally:
                self.refused = stage.refused
        if self.refused:
            raise WouldWrite
        if fake:
            # The program kept it to itself, and went another way than it would with values.
            for error in filter(needs_values, handles.raised()):
                raise error
        for name in self.arguments.used_up():
            feed.warn(
                "used-up",
                f"argument {name} is an iterator, and the items that the count took from it are "
                "gone: if the program needs them, let the function name the iterator instead of "
                "passing it",
            )
        if self.backward and isinstance(self.function, torch.nn.Module):
            reduce_gradients(feed, list(self.function.parameters()), self.ranks)
        return feed.finish(params=places.params)._of(
            target.name(),
            inputs=target.sizes(),
            how=("on fake tensors" if fake else "on real tensors")
            + (", with its backward" if self.backward else ""),
        )

    def _call(self) -> Any:
        return self.function(*self.arguments.inputs, **self.arguments.kwargs)

    def _train(self) -> None:
        with torch.enable_grad():
            output = self._call()
            loss = self.loss(output) if self.loss is not None else default_loss(output)
        loss.backward()


def has_run(output: Any) -> None:
    """Raises if what was called only made something that is still to run."""
    if isinstance(output, (CoroutineType, GeneratorType, AsyncGeneratorType)):
        kind = type(output).__name__.replace("_", " ")
        output.close() if not isinstance(output, AsyncGeneratorType) else None
        raise LaptimeError(
            f"the call returns a {kind}, and nothing of it has run: count a function that runs it"
        )


def default_loss(output: Any) -> torch.Tensor:
    """The output's `.loss`, else the sum of its floating tensors."""
    loss = output.get("loss") if isinstance(output, Mapping) else getattr(output, "loss", None)
    if isinstance(loss, torch.Tensor):
        return loss
    parts: list[torch.Tensor] = []
    for leaf in _tensors(output):
        if leaf.is_complex():
            parts.append(torch.view_as_real(leaf).sum())
        elif leaf.is_floating_point() and leaf.requires_grad:
            parts.append(leaf.sum())
    if not parts:
        raise TypeError(
            "the output has no floating tensor that leads back to a parameter: "
            "pass loss=, a function of the output"
        )
    total = parts[0]
    for part in parts[1:]:
        total = total + part
    return total


def _tensors(output: Any) -> Iterator[torch.Tensor]:
    if isinstance(output, torch.Tensor):
        yield output
    elif isinstance(output, Mapping):
        for value in output.values():
            yield from _tensors(value)
    elif isinstance(output, (tuple, list)):
        for value in output:
            yield from _tensors(value)
    elif hasattr(output, "__dataclass_fields__"):
        for name in output.__dataclass_fields__:
            yield from _tensors(getattr(output, name))
