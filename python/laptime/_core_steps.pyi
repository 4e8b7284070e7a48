"""Windows of steps, of the compiled part: see `laptime.log_every` and the trainers' callbacks."""

from collections.abc import Callable
from typing import final

@final
class StepWindow:
    """Some steps of a running training, one after the other."""

    @property
    def name(self) -> str:
        """The name of the laps."""
    @property
    def step(self) -> int:
        """The number of the last step, counted from 1 since the process began."""
    @property
    def count(self) -> int:
        """How many steps."""
    @property
    def total_ns(self) -> int:
        """The time of all."""
    @property
    def mean_ns(self) -> int:
        """The mean time of one."""
    @property
    def p95_ns(self) -> int | None:
        """95 % of them took at most this; known to 1.1 %."""
    @property
    def max_ns(self) -> int:
        """The longest."""
    @property
    def steps_per_s(self) -> float | None:
        """How many of them there were in a second of their time."""
    @property
    def share_ratios(self) -> dict[str, float]:
        """The shares of the phases in the steps' time, by name."""
    @property
    def phases_ns(self) -> dict[str, int]:
        """The time of the phases in all steps, by name."""
    @property
    def resident_peak_bytes(self) -> int | None:
        """The most resident memory of the process so far."""
    @property
    def host_memory_peak_bytes(self) -> int | None:
        """The most host memory that a step held above its start, where the memory of laps is counted."""
    @property
    def flop_per_s(self) -> float | None:
        """FLOP per second, where operations are known."""
    @property
    def mfu_ratio(self) -> float | None:
        """That over the machine's peak."""
    def metrics(self) -> dict[str, float]:
        """What a logger takes: numbers by stable names. What isn't known is left out."""

@final
class StepListener:
    def __new__(
        cls,
        name: str,
        every: int = 0,
        told: Callable[[StepWindow], object] | None = None,
        ends: Callable[[int, bool], object] | None = None,
    ) -> StepListener: ...
    def start(self) -> None: ...
    def stop(self) -> None: ...
    def take(self) -> StepWindow | None: ...
    def others(self) -> list[str]: ...
    def take_metrics(self) -> list[tuple[str, float]]: ...

def epoch_line(
    name: str, of: int | None, metrics: list[tuple[str, float]], durations: list[float]
) -> str: ...
def total_line(seconds: float) -> str: ...
