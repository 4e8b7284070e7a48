"""What `_core` has for the latency of a model's calls; there is no such module of its own."""

from collections.abc import Sequence
from typing import Any, Literal, final

from typing_extensions import Self

@final
class InferencePlan:
    """Which calls of a case to make, told how long they took."""

    def __new__(cls, budget_seconds: float) -> Self: ...
    def next(self) -> bool:
        """Whether to call once more."""

    def told(
        self,
        ticks: int,
        cpu_ns: int,
        transfers: tuple[int, int] | None = None,
        tokens: int | None = None,
    ) -> None:
        """How long a call took, without and with what brought its input there and its output back."""

    def outcome(self, device: str, batch: int, load: LoadPlan | None = None) -> InferenceCase:
        """What was found of batches of this size."""

@final
class LoadPlan:
    """When requests arrive, told when they were served."""

    def __new__(cls, rate_per_s: float, arrivals: str, seconds: float, seed: int) -> Self: ...
    @property
    def schedule(self) -> list[int]:
        """Ticks from the start at which requests arrive."""
    @property
    def limit(self) -> int:
        """Ticks from the start after which no more request is served."""

    def told(self, begun: int, done: int) -> None:
        """When the next request's call began and ended, in ticks from the start."""

    def end(self, ticks: int) -> None:
        """Nothing is served after this."""

@final
class InferenceCase:
    """One batch size on one device. Times are nanoseconds for one call on the whole batch.

    A number that isn't there is None, and `why` says why. An interval (`_ci`) holds the true number with
    95 % confidence.
    """

    @staticmethod
    def absent(device: str, batch: int, why: str) -> InferenceCase:
        """A case that could not be measured."""
    @property
    def device(self) -> str: ...
    @property
    def batch(self) -> int:
        """Samples in a call."""
    @property
    def unavailable(self) -> str | None:
        """Why it could not be measured."""
    @property
    def calls(self) -> int | None:
        """Calls after warm-up."""
    @property
    def warmup(self) -> int | None:
        """Calls before steady state, the first one among them."""
    @property
    def samples(self) -> list[float]:
        """Each call after warm-up, without transfers."""
    @property
    def warnings(self) -> list[str]:
        """Why numbers are absent or doubtful, one sentence each."""
    @property
    def load(self) -> InferenceLoad | None:
        """What it does at the rate that was asked for."""
    @property
    def first_ns(self) -> float | None:
        """The first call of all, transfers included."""
    @property
    def first_ratio(self) -> float | None:
        """How many times as long as the median the first call took."""
    @property
    def p50_ns(self) -> float | None: ...
    @property
    def p50_ci(self) -> tuple[float, float] | None: ...
    @property
    def p90_ns(self) -> float | None: ...
    @property
    def p90_ci(self) -> tuple[float, float] | None: ...
    @property
    def p99_ns(self) -> float | None: ...
    @property
    def p99_ci(self) -> tuple[float, float] | None: ...
    @property
    def max_ns(self) -> float | None: ...
    @property
    def samples_per_s(self) -> float | None:
        """The batch over the median: one call after the other, without transfers."""
    @property
    def samples_per_s_ci(self) -> tuple[float, float] | None: ...
    @property
    def tokens_per_s(self) -> float | None: ...
    @property
    def tokens_per_s_ci(self) -> tuple[float, float] | None: ...
    @property
    def transfer_in_ns(self) -> float | None:
        """Median time of the input to the device."""
    @property
    def transfer_out_ns(self) -> float | None:
        """Median time of the output back to the host."""
    @property
    def total_p50_ns(self) -> float | None:
        """Median with both transfers."""
    @property
    def total_p50_ci(self) -> tuple[float, float] | None: ...
    @property
    def total_p90_ns(self) -> float | None: ...
    @property
    def total_p99_ns(self) -> float | None: ...
    @property
    def total_p99_ci(self) -> tuple[float, float] | None: ...
    def why(self, number: str) -> str | None:
        """Why a number is None; None for one that is there."""

@final
class InferenceLoad:
    """What a model does under load. Latency counts from the scheduled arrival of a request."""

    @property
    def arrivals(self) -> Literal["poisson", "constant"]: ...
    @property
    def arrived(self) -> int:
        """Requests that arrived."""
    @property
    def served(self) -> int:
        """Requests that were served before the end."""
    @property
    def kept_up(self) -> bool | None:
        """Whether all were served, and one takes less than the time between two arrivals; None
        where that can't be told, and `why("kept_up")` says why.
        """
    @property
    def is_at_least(self) -> bool:
        """Whether the true percentiles are larger, as requests still waited at the end."""
    @property
    def rate_per_s(self) -> float: ...
    @property
    def p50_ns(self) -> float | None: ...
    @property
    def p90_ns(self) -> float | None: ...
    @property
    def p99_ns(self) -> float | None: ...
    @property
    def max_ns(self) -> float | None: ...
    @property
    def service_p50_ns(self) -> float | None:
        """Median time from the call to the output, without the queue."""
    @property
    def busy_ratio(self) -> float:
        """Part of the time between two arrivals that a request takes; from 1 on the queue grows."""
    @property
    def busy_ci(self) -> tuple[float, float] | None:
        """Holds that part with 95 % confidence; takes 30 requests."""
    def why(self, number: str) -> str | None:
        """Why a number is None; None for one that is there."""

@final
class InferenceOutcome:
    """All cases of a model."""

    def __new__(cls, name: str, cases: Sequence[InferenceCase]) -> Self: ...
    def knee(self, device: str) -> tuple[int | None, int | None, str | None]:
        """The batch size of the knee, one that it may be as well, or why there is none."""

    def crossover(self, base: str, device: str) -> tuple[int | None, str | None]:
        """The batch size from which a device is faster than another, or why there is none."""
    @property
    def headline(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def markdown(self) -> str: ...
    @property
    def json(self) -> str: ...
    def mimebundle(
        self, include: Any | None = None, exclude: Any | None = None
    ) -> dict[str, str]: ...
