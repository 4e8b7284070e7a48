"""What `_core` has for benchmarks; there is no such module of its own."""

from collections.abc import Sequence
from typing import Any, Literal, final

from typing_extensions import Self

@final
class BenchmarkPlan:
    """What to run next, told how long everything took."""

    def __new__(cls, budget_seconds: float, precision: float = ...) -> Self: ...
    def next(self) -> int:
        """Iterations to run now; 0 when nothing more is to be done."""

    def spend(self, ticks: int) -> None:
        """How long preparing them took: it is spent, and isn't theirs."""

    def told(self, ticks: int, cpu_ns: int) -> None:
        """How long they took."""

    def outcome(self) -> BenchmarkOutcome:
        """What was found."""

@final
class BenchmarkOutcome:
    """What a benchmark found; times are nanoseconds for one run."""

    @property
    def median_ns(self) -> float: ...
    @property
    def ci(self) -> tuple[float, float] | None: ...
    @property
    def samples(self) -> list[float]: ...
    @property
    def iterations(self) -> int: ...
    @property
    def warmup(self) -> int: ...
    @property
    def ending(self) -> Literal["precision", "budget", "count"] | None: ...
    @property
    def p99(self) -> tuple[float | None, str | None]:
        """99th percentile of single runs, or why it isn't known."""
    @property
    def line(self) -> str: ...
    def doubts(self, asked: str) -> list[str]:
        """Why it ended early and what makes it doubtful; `asked` is how a budget is asked for."""

def bytes_text(bytes: int) -> str: ...
def duration_text(ns: float) -> str: ...
def rate_text(per_s: float, unit: str) -> str: ...
def visible_text(name: str) -> str:
    """A name on one line, with escapes for what a terminal would obey."""

def machine() -> tuple[str, int]:
    """The processor's name, and how many processors this process may use."""

@final
class ContestPlan:
    """Whose turn it is, told how long everything took."""

    def __new__(
        cls, names: Sequence[str], budget_seconds: float, threshold: float, seed: int
    ) -> Self: ...
    def next(self) -> tuple[int, int] | None:
        """Who runs how many iterations now; None when nothing more is to be done."""

    def spend(self, ticks: int) -> None:
        """How long preparing them took: it is spent, and isn't theirs."""

    def told(self, ticks: int, cpu_ns: int) -> None:
        """How long they took."""

    def outcome(self) -> ContestOutcome | None:
        """What was found; None when the budget ended before every contender had run."""

@final
class ContestOutcome:
    """What a contest found; times are nanoseconds for one run."""

    @property
    def contenders(self) -> list[BenchmarkOutcome]: ...
    @property
    def pairs(self) -> list[tuple[int, int, SpeedVerdict]]: ...
    @property
    def noise_ratio(self) -> float | None: ...
    @property
    def rounds(self) -> int: ...
    @property
    def ending(self) -> Literal["clear", "budget", "rounds"] | None: ...
    @property
    def headline(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def markdown(self) -> str: ...
    def mimebundle(
        self, include: Any | None = None, exclude: Any | None = None
    ) -> dict[str, str]: ...

@final
class SpeedVerdict:
    """Whether one side is faster than the other, and why; `str()` is a sentence."""

    @property
    def verdict(self) -> Literal["faster", "slower", "same", "inconclusive", "not-comparable"]: ...
    @property
    def ratio(self) -> float | None:
        """New over base."""
    @property
    def interval(self) -> tuple[float, float] | None:
        """Holds the true ratio with 95 % confidence."""
    @property
    def p_value(self) -> float | None:
        """How likely identical sides differ by chance at least as much."""
    @property
    def threshold_ratio(self) -> float:
        """Smallest difference that counts, as a part of the base."""
    @property
    def reason(self) -> str: ...
    @property
    def sentence(self) -> str: ...

def judge_samples(
    base: tuple[str, Sequence[float]], new: tuple[str, Sequence[float]], threshold: float
) -> SpeedVerdict: ...
