"""`lt.bench_inference`: the latency of a model's calls by batch size and device."""

from __future__ import annotations

from .._core import InferenceCase, InferenceOutcome, visible_text, write_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from os import PathLike
    from typing import Any, Literal

    from ._places import Place

#: Seconds for each batch size on each device, unless asked otherwise; as many again for a load.
EACH_CASE = 2.0


class InferenceBenchmark:
    """Latency of a model's calls. Times are nanoseconds for one call on a whole batch.

    `found[16]` is the case of batch size 16 on the first device, `found["cuda", 16]` that on
    another; iteration goes over batch sizes.
    """

    def __init__(
        self, name: str, cases: list[InferenceCase], outcome: InferenceOutcome, doubts: list[str]
    ) -> None:
        self._outcome = outcome
        self._cases = {(case.device, case.batch): case for case in cases}
        #: What the model is called.
        self.name = name
        #: Every batch size on every device.
        self.cases = cases
        #: The devices' names, in the order they were asked for.
        self.devices = list(dict.fromkeys(case.device for case in cases))
        #: The batch sizes, in ascending order.
        self.batch_sizes = list(dict.fromkeys(case.batch for case in cases))
        #: The answer in words: knees, crossovers, and whether a rate is kept up with.
        self.headline = outcome.headline
        #: Results that stand for work which hasn't been done.
        self.warnings = doubts
        #: By device, the batch size from which throughput rises no more; None where `why_no_knee`
        #: says why.
        self.knees: dict[str, int | None] = {
            device: outcome.knee(device)[0] for device in self.devices
        }
        #: By the names of the first device and another, the batch size from which the other is
        #: faster, transfers included; None where `why_no_crossover` says why.
        self.crossovers: dict[tuple[str, str], int | None] = {
            (self.devices[0], device): outcome.crossover(self.devices[0], device)[0]
            for device in self.devices[1:]
        }

    @property
    def knee(self) -> int | None:
        """The knee of the first device."""
        return self.knees[self.devices[0]]

    def why_no_knee(self, device: str | None = None) -> str | None:
        """Why a device, by default the first, has no knee; None where it has one."""
        return self._outcome.knee(self._known(device))[2]

    def why_no_crossover(self, device: str) -> str | None:
        """Why a device is faster than the first from no batch size on; None where it is."""
        return self._outcome.crossover(self.devices[0], self._known(device))[1]

    def _known(self, device: str | None) -> str:
        if device is not None and device not in self.devices:
            raise KeyError(f"no such device: {device!r}; there is {', '.join(self.devices)}")
        return self.devices[0] if device is None else device

    def __getitem__(self, key: int | tuple[str, int]) -> InferenceCase:
        wanted = key if isinstance(key, tuple) else (self.devices[0], key)
        if wanted not in self._cases:
            known = ", ".join(map(repr, self._cases))
            raise KeyError(f"no such case: {key!r}; there is {known}")
        return self._cases[wanted]

    def __contains__(self, key: object) -> bool:
        return key in self._cases or key in self.batch_sizes

    def __iter__(self) -> Iterator[int]:
        return iter(self.batch_sizes)

    def __len__(self) -> int:
        return len(self.batch_sizes)

    def to_dict(self) -> dict[str, Any]:
        """Every number by its name, with the reasons for those that are absent."""
        import json

        found: dict[str, Any] = json.loads(self._outcome.json)
        return {**found, "warnings": self.warnings}

    def to_json(self, path: str | PathLike[str] | None = None) -> str | None:
        """What `to_dict` gives as text, or in a file."""
        import json

        return _written(json.dumps(self.to_dict(), indent=2) + "\n", path)

    def save(self, path: str | PathLike[str]) -> None:
        """Writes the calls of every batch size as a file of benchmarks, for `laptime compare` and
        `lt.compare`, by names such as "Net batch 16 cpu". `to_json` has the rest.
        """
        from ._saved import case_of, write

        measured = [case_of(self.name, case) for case in self.cases if case.unavailable is None]
        if not measured:
            raise ValueError(f"there is nothing to save: {self.headline}")
        write(path, measured)

    def to_markdown(self, path: str | PathLike[str] | None = None) -> str | None:
        """The table for a pull request, as text or in a file."""
        return _written(self._outcome.markdown, path)

    def __str__(self) -> str:
        return "\n".join([self._outcome.text, *self.warnings])

    def __repr__(self) -> str:
        name = visible_text(self.name)
        return f"<laptime.InferenceBenchmark {name}: {self.headline.splitlines()[0]}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return self._outcome.mimebundle(include, exclude)


def bench_inference(
    model: Callable[..., Any],
    x: Any,
    *,
    batch_sizes: Sequence[int] | int | None = None,
    devices: Sequence[Any] | None = None,
    tokens: float | Callable[[Any], int] | None = None,
    rate: float | None = None,
    arrivals: Literal["poisson", "constant"] = "poisson",
    budget: float = EACH_CASE,
    seed: int = 0,
) -> InferenceBenchmark:
    """Measures the latency of a model, or of any function, for batches of several sizes.

        print(lt.bench_inference(model, x, batch_sizes=[1, 8, 64], devices=["cpu", "cuda"]))

    `x` is an example: a tensor, which is passed as it is, a tuple of positional arguments, or a
    dictionary of keyword arguments. The first dimension of each tensor is the batch. Samples are
    repeated or left out to make each size, by default the one that `x` has. PyTorch models are
    called in evaluation mode and inference mode, and are afterwards what they were; a lazy one is
    called once before, and keeps the parameters that it makes then.

    The model is moved to each of `devices`; by default it stays. `budget` is seconds for each batch
    size on each device. `tokens` is a number for each sample, or a function that counts those of an
    output; those of `generate` are counted anyway.

    With a `rate`, requests of one batch each then arrive so many times a second for `budget`
    seconds: as those of many users (`"poisson"`, by `seed`) or equally far apart (`"constant"`).
    Latency counts from their arrival, so time in the queue is part of it.

    **Errors** of the model go on where nothing could be measured. Where only some batch sizes
    raise, or a device isn't there or runs out of memory, that is a reason in the result.
    """
    from .._core import InferencePlan, LoadPlan
    from ._batches import arguments, copied, size_of
    from ._bench import check_numbers, name_of
    from ._loop import add_note
    from ._places import places
    from ._tokens import check_tokens
    from ._undisturbed import complete, module_of, undisturbed

    if not callable(model):
        raise TypeError(f"what is measured is something to call, not {type(model).__name__}")
    sizes = _sizes(batch_sizes, size_of(x))
    check_tokens(tokens)
    check_numbers(budget=budget)
    InferencePlan(budget)  # refuses what is no budget
    if rate is not None:
        check_numbers(rate=rate)
        LoadPlan(rate, arrivals, budget, seed)
    asked = _Asked(model, x, sizes, tokens, budget)
    asked.load = None if rate is None else lambda: LoadPlan(rate, arrivals, budget, seed)
    module = module_of(model)
    where = places(module, x, devices)
    asked.is_moved = devices is not None
    asked.are_several = len(where) > 1
    args, kwargs = arguments(copied(x))
    complete(module, lambda: model(*args, **kwargs))
    cases: list[InferenceCase] = []
    with undisturbed(module) as lost:
        for place in where:
            cases += asked.cases(module, place)
    if asked.error is not None:
        for said in lost:
            add_note(asked.error, said)
        raise asked.error
    name = type(module).__name__ if module is not None else name_of(model)
    return InferenceBenchmark(name, cases, InferenceOutcome(name, cases), [*asked.doubts, *lost])


class _Asked:
    """What is measured on every device."""

    def __init__(self, model: Any, x: Any, sizes: list[int], tokens: Any, budget: float) -> None:
        self._model, self._x, self._sizes = model, x, sizes
        self._tokens, self._budget = tokens, budget
        self.load: Any = None
        self.is_moved = False
        self.are_several = False
        self.doubts: list[str] = []
        #: The first that was raised, as long as nothing was measured.
        self.error: Exception | None = None
        self._is_any_measured = False

    def cases(self, module: Any, place: Place) -> list[InferenceCase]:
        """Every batch size on one device."""
        from ..world.random_numbers import same_random_numbers
        from ._undisturbed import without_gradients

        reason = place.reason
        try:
            if reason is None and module is not None and self.is_moved:
                module.to(place.device)
        except Exception as error:
            reason = self._reason(error)
        if reason is not None:
            return [InferenceCase.absent(place.name, size, reason) for size in self._sizes]
        devices = [] if place.device is None else [place.device]
        with same_random_numbers(devices), without_gradients():
            return [self._case(place, size) for size in self._sizes]

    def _case(self, place: Place, size: int) -> InferenceCase:
        from ._calls import Calls, at_a_rate, in_a_row
        from ._tokens import counter
        from ._undisturbed import with_ordinary_tensors

        def make() -> Any:
            return self._batch(size)

        at = f"on {place.name} " if self.are_several else ""
        try:
            with with_ordinary_tensors():
                batch = make()
            count = counter(self._model, self._tokens, batch, size)
            at += f"at batch size {size:,}, "
            calls = Calls(self._model, batch, make, place.device, count, at)
            plan = in_a_row(calls, self._budget)
            load = None if self.load is None else self.load()
            if load is not None:
                at_a_rate(calls, load)
            case = plan.outcome(place.name, size, load)
        except Exception as error:
            alone = f"; batch_sizes=[{size}] alone raises it"
            return InferenceCase.absent(place.name, size, self._reason(error, alone))
        self.doubts += [said for said in calls.doubts() if said not in self.doubts]
        self._is_any_measured = True
        self.error = None
        return case

    def _batch(self, size: int) -> Any:
        from ._batches import batch_of
        from ._calls import moved

        batch = batch_of(self._x, size)
        return moved(batch, "cpu") if self.is_moved else batch

    def _reason(self, error: Exception, hint: str = "") -> str:
        """Why something isn't measured. An error is kept only if it may have to be raised: with it
        would stay what the call had on the device.
        """
        said = visible_text(str(error).partition("\n")[0])
        if type(error).__name__ == "OutOfMemoryError" or isinstance(error, MemoryError):
            return f"out of memory: {said}"
        if not self._is_any_measured and self.error is None:
            self.error = error
        return f"it raised {type(error).__name__}: {said}{hint}"


def _sizes(batch_sizes: Sequence[int] | int | None, given: int) -> list[int]:
    """Batch sizes in ascending order, each once. A single one may stand without its list."""
    from operator import index

    told: Any = given if batch_sizes is None else batch_sizes
    try:
        sizes = [index(size) for size in (told if hasattr(told, "__iter__") else [told])]
    except TypeError:
        raise TypeError(
            f"batch_sizes are whole numbers, such as batch_sizes=[1, 8, 64], not {batch_sizes!r}"
        ) from None
    if not sizes:
        raise ValueError("batch_sizes are one or more, such as batch_sizes=[1, 8, 64]")
    for size in sizes:
        if size < 1:
            raise ValueError(f"a batch size is at least 1, not {size}")
    return sorted(set(sizes))


def _written(text: str, path: str | PathLike[str] | None) -> str | None:
    """The text, or None where it was written to a file."""
    if path is None:
        return text
    write_output(path, text)
    return None
