"""`lt.bench`: how long a call takes, and how well that is known."""

from __future__ import annotations

from .._core import BenchmarkPlan, bytes_text, rate_text, visible_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from os import PathLike
    from typing import Any

    from .._core import BenchmarkOutcome
    from ._loop import Measured
    from ._memory import Counted

#: Seconds that a benchmark takes at most, unless asked otherwise.
BUDGET = 2.0
#: Half the interval's width over the median at which it ends, unless asked otherwise.
PRECISION = 0.01
#: What may be told of a call, with the unit of its rate.
_WORK = {"items": "items/s", "bytes": "B/s", "flop": "FLOP/s"}


class Benchmark:
    """How long a call takes. Times are in nanoseconds for one iteration."""

    def __init__(
        self,
        name: str,
        outcome: BenchmarkOutcome,
        doubts: list[str],
        work: dict[str, float],
        memory: dict[str, Counted] | None = None,
    ) -> None:
        #: The function's name, or the one that was told.
        self.name = name
        #: Median of the samples.
        self.median_ns = outcome.median_ns
        #: Interval that holds the median with 95 % confidence; None with too few samples.
        self.ci = outcome.ci
        #: Every sample after warm-up, in the order they were measured.
        self.samples = outcome.samples
        #: Iterations in a sample.
        self.iterations = outcome.iterations
        #: Samples before steady state, which are left out.
        self.warmup = outcome.warmup
        #: Why it ended: "precision" or "budget".
        self.ending = outcome.ending
        #: Reasons for doubt, one sentence each.
        self.warnings = doubts
        #: 99th percentile of single iterations; None where `why("p99_ns")` says why.
        self.p99_ns, self._no_p99 = outcome.p99
        self._work = work
        self._memory = memory or {}
        self._line = outcome.line

    @property
    def items_per_s(self) -> float | None:
        """Items in a second, where `items` was told."""
        return self._rate("items")

    @property
    def bytes_per_s(self) -> float | None:
        """Bytes in a second, where `bytes` was told."""
        return self._rate("bytes")

    @property
    def flop_per_s(self) -> float | None:
        """FLOP in a second, where `flop` was told."""
        return self._rate("flop")

    @property
    def host_memory_net_bytes(self) -> int | None:
        """What an iteration allocates on the host less what it frees, where that was asked for."""
        return self._bytes("host", 0)

    @property
    def host_memory_peak_bytes(self) -> int | None:
        """The most that was there above what was there before the iteration."""
        return self._bytes("host", 1)

    @property
    def device_memory_net_bytes(self) -> int | None:
        """As on the host, of the device in use."""
        return self._bytes("device", 0)

    @property
    def device_memory_peak_bytes(self) -> int | None:
        """As on the host, of the device in use."""
        return self._bytes("device", 1)

    def _bytes(self, where: str, which: int) -> int | None:
        counted = self._memory.get(where, (None, None))[0]
        return None if counted is None else counted[which]

    def why(self, number: str) -> str | None:
        """Why a number is None; None for one that is there."""
        where, _, which = number.partition("_memory_")
        if where in ("host", "device") and which in ("net_bytes", "peak_bytes"):
            if where not in self._memory:
                return "memory was not asked for: lt.bench.options(memory=True)"
            return self._memory[where][1]
        if number == "p99_ns":
            return self._no_p99
        if number == "ci":
            return None if self.ci else "too few samples for an interval"
        kind = number.removesuffix("_per_s")
        if kind not in _WORK:
            known = ", ".join([*(f"{kind}_per_s" for kind in _WORK), "host_memory_net_bytes, …"])
            raise ValueError(f"expected p99_ns, ci or one of {known}, found {number!r}")
        return None if kind in self._work else f"{kind} of an iteration was not told"

    def save(self, path: str | PathLike[str]) -> None:
        """Writes it as JSON, a baseline for the pytest plug-in's `--laptime-compare`."""
        from ._saved import benchmark_of, write

        write(path, [benchmark_of(self)])

    def to_json(self) -> str:
        """What `save` writes."""
        import json

        from ._saved import benchmark_of, plain

        return json.dumps(plain([benchmark_of(self)]), indent=2)

    def _rate(self, kind: str) -> float | None:
        told = self._work.get(kind)
        return told / (self.median_ns / 1e9) if told is not None and self.median_ns else None

    def __str__(self) -> str:
        bytes_said = [
            f"peak {bytes_text(peak)} on the {where}"
            for where in ("host", "device")
            if (peak := self._bytes(where, 1)) is not None
        ]
        rates = [(self._rate(kind), unit) for kind, unit in _WORK.items()]
        said = [rate_text(rate, unit) for rate, unit in rates if rate is not None]
        line = ", ".join([f"{visible_text(self.name)}: {self._line}", *said, *bytes_said])
        return "\n".join([line, *self.warnings])

    def __repr__(self) -> str:
        return f"<laptime.Benchmark {visible_text(self.name)}: {self._line}>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        kinds = {"text/plain": str(self)}
        return {
            kind: text
            for kind, text in kinds.items()
            if (not include or kind in include) and kind not in (exclude or ())
        }


class Bench:
    """`lt.bench(fn, *args, **kwargs)` runs a call until its time is known to ±1 %, for 2 s at most.

        print(lt.bench(sorted, data))
        print(lt.bench.options(budget=10, items=64)(model, batch))
        print(lt.bench.options(setup=lambda: random.sample(data, len(data)))(list.sort))

    All arguments are the function's own; what Laptime is asked for is told by `options`.
    """

    def __init__(
        self,
        budget: float = BUDGET,
        precision: float = PRECISION,
        memory: bool = False,
        name: str | None = None,
        setup: Callable[[], Any] | None = None,
        **work: float | None,
    ) -> None:
        self._asked = (budget, precision)
        self._name = name
        self._setup = setup
        self._counts_memory = memory
        self._work = {kind: told for kind, told in work.items() if told is not None}

    def options(
        self,
        *,
        budget: float = BUDGET,
        precision: float = PRECISION,
        items: float | None = None,
        bytes: float | None = None,
        flop: float | None = None,
        memory: bool = False,
        name: str | None = None,
        setup: Callable[[], Any] | None = None,
    ) -> Bench:
        """The same, asked for more: seconds that it takes at most, how well the median is to be
        known as a part of it, and how many items, bytes or FLOP an iteration is. With `memory`,
        what an iteration allocates is counted afterwards, in two more of them. `name` stands for
        the function's own: `laptime compare` matches saved benchmarks by their names. `setup()` is
        called for each iteration, outside of the measured time, and what it returns is the
        function's one argument, or all of them where that is a tuple: for a function that uses up
        its input.
        """
        if name is not None and (not isinstance(name, str) or not name):
            raise ValueError(
                f"the name of a benchmark is text of at least one letter, not {name!r}"
            )
        told = {"items": items, "bytes": bytes, "flop": flop}
        for kind, number in told.items():
            if number is not None and not 0 < number < float("inf"):
                raise ValueError(
                    f"{kind} of an iteration are a finite number above 0, not {number}"
                )
        check_numbers(budget=budget, precision=precision)
        BenchmarkPlan(budget, precision)  # refuses what is no budget
        return Bench(budget, precision, memory, name, setup, **told)

    def __call__(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Benchmark:
        """Measures `fn(*args, **kwargs)`; with `setup`, `fn(setup())`.

        **Errors** TypeError with both `setup` and arguments.
        """
        measured = self._measured(fn, args, kwargs)
        plan = BenchmarkPlan(*self._asked)
        while iterations := plan.next():
            told = measured.run(iterations)
            plan.spend(measured.aside)
            plan.told(*told)
        outcome = plan.outcome()
        doubts = [*measured.doubts(), *outcome.doubts("lt.bench.options(budget={})")]
        memory = None
        if self._counts_memory:
            from ._memory import memory_of

            memory = memory_of(fn, measured.arguments, kwargs)
        return Benchmark(self._name or name_of(fn), outcome, doubts, self._work, memory)

    def _measured(
        self, fn: Callable[..., Any], args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Measured:
        from ._prepared import Prepared
        from ._repeated import Repeated

        if self._setup is None:
            return Repeated(fn, args, kwargs, way_out="lt.bench.options(setup=…)")
        if args or kwargs:
            raise TypeError(
                "setup() makes the arguments, and arguments were given too: "
                "lt.bench.options(setup=make)(fn) calls fn(make())"
            )
        return Prepared(fn, self._setup)

    def __repr__(self) -> str:
        return "<laptime.bench(fn, *args, **kwargs): how long a call takes>"


#: Measures a call.
bench = Bench()


def check_numbers(**told: object) -> None:
    """Refuses what is no number, by the argument's name."""
    for name, value in told.items():
        if not hasattr(value, "__float__") and not hasattr(value, "__index__"):
            raise TypeError(f"{name} is a number, not {value!r}")


def name_of(fn: Any) -> str:
    """What a function is called."""
    inner = getattr(fn, "func", fn)  # of a functools.partial
    # A builtin's qualified name has the class that it hangs on inside its module.
    kind = "__name__" if isinstance(inner, type(len)) else "__qualname__"
    name = getattr(inner, kind, None) or type(inner).__name__
    return str(name).replace("<locals>.", "")
