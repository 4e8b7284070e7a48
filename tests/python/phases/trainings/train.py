"""Trains as planned, with timers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

from .plan import Place, Plan, Says, Source
from .timers import Timers, works

#: Each phase works for so long, in milliseconds.
DATA, FORWARD, BACKWARD, STEP, LITTLE = 0.6, 0.5, 0.5, 0.4, 0.2


class Data(Dataset):
    """Each item is a batch, and takes its time."""

    def __init__(self, timers: Timers, batches: int) -> None:
        self.timers, self.batches = timers, batches

    def __len__(self) -> int:
        return self.batches

    def __getitem__(self, index: int) -> torch.Tensor:
        if not 0 <= index < self.batches:
            raise IndexError(index)
        self.timers.within(DATA)
        return torch.ones(2, 4)


class Loader(DataLoader):
    """A pass takes its time to begin."""

    def __init__(self, timers: Timers, batches: int, begins_ms: float) -> None:
        super().__init__(Data(timers, batches), batch_size=None)
        self.timers, self.begins_ms = timers, begins_ms

    def _get_iterator(self):
        self.timers.within(self.begins_ms)
        return super()._get_iterator()


class Repeated:
    """An endless sampler, and how many batches a pass has."""

    def __init__(self, sampler, batches: int) -> None:
        self.sampler, self.batches = sampler, batches

    def __iter__(self):
        while True:
            yield from self.sampler


class KeptLoader(Loader):
    """Keeps its iterator over all passes, so that workers need not start again."""

    kept = None

    def __init__(self, timers: Timers, batches: int, begins_ms: float) -> None:
        super().__init__(timers, batches, begins_ms)
        object.__setattr__(self, "sampler", Repeated(self.sampler, batches))
        self.count = batches

    def keeps(self) -> None:
        self.kept = super().__iter__()

    def __iter__(self):
        for _ in range(self.count):
            yield next(self.kept)


class Slow(torch.autograd.Function):
    """Its gradient takes its time."""

    @staticmethod
    def forward(context, value, timers):
        context.timers = timers
        return value * 1

    @staticmethod
    def backward(context, gradient):
        context.timers.within(BACKWARD)
        return gradient * 1, None


class Net(nn.Module):
    """A network with something to learn."""

    def __init__(self, timers: Timers) -> None:
        super().__init__()
        self.timers = timers
        self.layer = nn.Linear(4, 3)

    def forward(self, value):
        self.timers.within(FORWARD)
        return Slow.apply(self.layer(value), self.timers)


class Bare(nn.Module):
    """Has nothing to learn: it prepares a batch, or is a loss."""

    def __init__(self, timers: Timers) -> None:
        super().__init__()
        self.timers = timers

    def forward(self, value):
        self.timers.within(LITTLE)
        return value * 1


class Descent(torch.optim.SGD):
    """Its update takes its time."""

    timers: Timers

    def step(self, closure=None):
        self.timers.within(STEP)
        return super().step(closure)


class Training:
    """A training that is under way."""

    def __init__(self, plan: Plan) -> None:
        self.plan = plan
        self.timers = timers = Timers()
        self.model, self.other, self.teacher = Net(timers), Net(timers), Net(timers).eval()
        self.teacher.requires_grad_(False)
        self.prepare, self.loss = Bare(timers), Bare(timers)
        self.optimizers = [self._optimizer(self.model), self._optimizer(self.other)]
        kind = KeptLoader if plan.source is Source.KEPT else Loader
        self.loader = kind(timers, plan.batches, plan.begins_ms)
        count = plan.validation.batches if plan.validation else 1
        more = int(plan.validation is not None and plan.validation.is_left_early)
        self.validation = Loader(timers, count + more, plan.begins_ms)
        self.called = self.model
        self.batches: Iterator[torch.Tensor] | None = None
        self.left = self.micro_batch = 0
        self.value = torch.ones(2, 4)

    def _optimizer(self, module: nn.Module) -> Descent:
        optimizer = Descent(module.parameters(), lr=0.1)
        optimizer.timers = self.timers
        return optimizer

    def run(self) -> Timers:
        """Trains to the end."""
        self._sets_up()
        for index in range(self.plan.passes):
            self._pass(index)
        if self.micro_batch:
            self._updates()
        self.timers.breaks()
        return self.timers

    def _elsewhere(self, ms: float) -> None:
        """Works for no step."""
        self.timers.breaks()
        works(ms)

    def _between(self, ms: float) -> None:
        """Works after an update: for no step, but where the batch of the next one is there."""
        if self.plan.source is Source.AHEAD and self.plan.ahead is Place.AFTER_UPDATE:
            works(ms)
        else:
            self._elsewhere(ms)

    def _sets_up(self) -> None:
        plan = self.plan
        if plan.compiles:
            torch.compile(lambda value: value * 2, backend="eager")(self.value)
            self.called = torch.compile(self.model, backend="eager")
        if plan.dry_run_ms is not None:
            self._evaluates(self.model)
            self._elsewhere(plan.dry_run_ms)
        if plan.zeroes_first:
            self._zeroes(is_after=False)
            if plan.source is not Source.TENSORS:
                self._elsewhere(plan.gap_ms)

    # -- data ------------------------------------------------------------------------------

    def _begins(self) -> None:
        is_amid = self.micro_batch > 0
        if not is_amid:
            self.timers.breaks()
        with self.timers.phase("step/data", counts=False):
            if isinstance(self.loader, KeptLoader):
                self.loader.keeps()
            else:
                self.batches = iter(self.loader)
        if is_amid:
            works(self.plan.gap_ms)
        else:
            self._elsewhere(self.plan.gap_ms)

    def _fetches(self) -> None:
        if self.batches is None:
            return  # a rest of micro-batches is updated after the last pass
        if not self.left:
            with self.timers.phase("step/data", counts=False):
                next(self.batches, None)
            return
        self.left -= 1
        with self.timers.phase("step/data"):
            self.value = next(self.batches)

    def _fetches_ahead(self, place: Place) -> None:
        if self.plan.source is Source.AHEAD and self.plan.ahead is place:
            self._fetches()
            works(self.plan.own_ms)

    def _pass(self, index: int) -> None:
        plan = self.plan
        self.left = plan.batches
        if plan.source is Source.KEPT:
            if index == 0:
                self._begins()
            self.batches = iter(self.loader)
        elif plan.source is not Source.TENSORS:
            self._begins()
        if plan.source is not Source.TENSORS:
            self.timers.epochs += 1
        if plan.source is Source.AHEAD:
            self._fetches()
        for batch in range(plan.batches):
            self._batch(batch)
        if plan.source is Source.PASSES:
            self._fetches()
        self._validates(None)
        if not plan.counts_on and self.micro_batch:
            self._updates()
        self.batches = None

    # -- a micro-batch ---------------------------------------------------------------------

    def _batch(self, index: int) -> None:
        if self.plan.has_fetch:
            if self.plan.source is Source.BEHIND and index == 0:
                self._fetches()
            self._fetches()
        self._at(Place.BEFORE_FORWARD)
        result = self._forwards(self.called)
        self._at(Place.BEFORE_BACKWARD)
        self._fetches_ahead(Place.BEFORE_BACKWARD)
        self._backwards(result)
        self.micro_batch += 1
        self._at(Place.AFTER_BACKWARD)
        self._fetches_ahead(Place.AFTER_BACKWARD)
        if self.micro_batch == self.plan.micro_batches:
            self._updates()
            self._between(min(self.plan.gap_ms, 3.0))
            self._at(Place.AFTER_UPDATE)
        else:
            self._fetches_ahead(Place.AFTER_UPDATE)

    def _forwards(self, model) -> torch.Tensor:
        phase, value = self.timers.phase, self.value
        if self.plan.has_teacher:
            with torch.no_grad(), phase("step/forward"):
                self.teacher(value)
        if self.plan.prepares is not None:
            mode = nullcontext() if self.plan.prepares else torch.no_grad()
            with mode, phase("step/forward"):
                value = self.prepare(value)
        if self.plan.has_penalty:
            value = value.detach().requires_grad_()
        with phase("step/forward"):
            result = model(value)
        self.given = value
        works(self.plan.own_ms)
        return result

    def _backwards(self, result: torch.Tensor) -> None:
        phase = self.timers.phase
        if self.plan.has_loss:
            with phase("step/forward"):
                result = self.loss(result)
        total = result.sum()
        if self.plan.has_penalty:
            with phase("step/backward"):
                (gradient,) = torch.autograd.grad(total, self.given, create_graph=True)
            total = total + gradient.sum()
        with phase("step/backward"):
            total.backward()
        works(self.plan.own_ms)

    def _updates(self) -> None:
        first, second = self.optimizers
        with self.timers.updates():
            first.step()
        self.timers.counts["step"] += 1
        self.micro_batch = 0
        if self.plan.two_optimizers:
            self._elsewhere(0.1)
            self._backwards(self._forwards(self.other))
            with self.timers.updates():
                second.step()
        if self.plan.zeroes is Place.AFTER_UPDATE:
            self._zeroes(is_after=True)
        self.timers.breaks()
        self._fetches_ahead(Place.AFTER_UPDATE)
        if self.plan.has_accuracy:
            self._evaluates(self.model)

    def _zeroes(self, is_after: bool) -> None:
        with self.timers.zeroes(is_after):
            self.optimizers[0].zero_grad()

    # -- between ---------------------------------------------------------------------------

    def _at(self, place: Place) -> None:
        if self.plan.zeroes is place is not Place.AFTER_UPDATE and self.micro_batch == 0:
            self._zeroes(is_after=False)
            works(self.plan.own_ms)
        if self.plan.answers is place:
            self.model.eval()
            with torch.no_grad():
                self._evaluates(self.model)
            self.model.train()
        self._validates(place)

    def _evaluates(self, model) -> None:
        """One forward, which is an evaluation."""
        self.timers.breaks()
        with self.timers.phase("evaluation/forward"):
            model(self.value)
        self.timers.counts["evaluation"] += 1
        self.timers.breaks()

    def _validates(self, place: Place | None) -> None:
        validation = self.plan.validation
        if validation is None or validation.place is not place:
            return
        if place is not None and (self.micro_batch + self.left) % validation.every:
            return
        timers = self.timers
        self._elsewhere(min(self.plan.gap_ms, 3.0))
        self.model.eval()
        with timers.phase("evaluation/data", counts=False):
            batches = iter(self.validation)
        self._elsewhere(self.plan.gap_ms)
        around = validation.says is Says.NO_GRAD_AROUND
        with torch.no_grad() if around else nullcontext():
            for _ in range(validation.batches):
                with timers.phase("evaluation/data"):
                    value = next(batches)
                inside = validation.says is Says.NO_GRAD_INSIDE
                with torch.no_grad() if inside else nullcontext():
                    with timers.phase("evaluation/forward"):
                        result = self.model(value)
                if validation.has_loss:
                    with timers.phase("evaluation/forward", counts=False):
                        self.loss(result)
                timers.counts["evaluation"] += 1
                works(self.plan.own_ms)
            if validation.is_left_early:
                self._elsewhere(self.plan.gap_ms)
            else:
                with timers.phase("evaluation/data", counts=False):
                    next(batches, None)
        self.model.train()
        timers.breaks()
