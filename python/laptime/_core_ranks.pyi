"""What `_core` has for the ranks of a job; there is no such module of its own."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, final, overload

from typing_extensions import Self

_FilePath: TypeAlias = str | bytes | PathLike[str] | PathLike[bytes]

def ranks(recordings: _FilePath | Sequence[_FilePath], *, salvage: bool = False) -> Ranks:
    """Tells which rank of a job holds the others up, since when, and why.

    A job is one recording, or the recordings of its machines. Each step of a rank is compared with the
    same step of its peers, the ranks that do the same work. `salvage` reads what is intact of damaged
    recordings.

    **Errors** `ValueError` where no process is a rank that takes steps, or a rank is in two of the
    recordings.
    """

@final
class Ranks:
    """Ranks of a job, compared step by step."""

    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: object) -> Self: ...
    @property
    def headline(self) -> str:
        """Who holds the others up, since when, and what it costs, in words."""
    @property
    def culprits(self) -> list[SlowRank]:
        """The ranks that hold the others up, each with the part of a step in which it is slow; the most
        costly first.
        """
    @property
    def of_their_own(self) -> list[SlowRank]:
        """What single ranks do and their peers don't: saving, logging, an evaluation."""
    @property
    def held_up_ratio(self) -> float:
        """Share of the job's time for which slow ranks hold the others up."""
    @property
    def held_up_interval(self) -> tuple[float, float] | None:
        """Its 95 % interval; None of few steps."""
    @property
    def jitter_ratio(self) -> float:
        """Share of the job's time that goes to whoever happens to be last."""
    @property
    def step_count(self) -> int:
        """Steps that all ranks took."""
    @overload
    def to_json(self, path: None = None) -> str: ...
    @overload
    def to_json(self, path: _FilePath) -> None: ...
    @overload
    def to_csv(self, path: None = None) -> str: ...
    @overload
    def to_csv(self, path: _FilePath) -> None: ...
    @overload
    def to_markdown(self, path: None = None) -> str: ...
    @overload
    def to_markdown(self, path: _FilePath) -> None: ...
    @overload
    def to_html(self, path: None = None) -> str: ...
    @overload
    def to_html(self, path: _FilePath) -> None: ...
    def _repr_mimebundle_(
        self, include: Any | None = None, exclude: Any | None = None
    ) -> dict[str, str]: ...

@final
class SlowRank:
    """A rank that takes longer than its peers, in a part of its steps. Times are nanoseconds."""

    @property
    def rank(self) -> int:
        """Its number."""
    @property
    def part(self) -> Literal["data", "forward", "backward", "optimizer", "other"]:
        """The part of a step."""
    @property
    def when(self) -> Literal["always", "from", "every", "sometimes"]:
        """In which steps."""
    @property
    def first_step(self) -> int | None:
        """The first of these steps; None where that is the job's first one, or they have no order."""
    @property
    def period(self) -> int | None:
        """Steps from one of them to the next, where they come in equal distances."""
    @property
    def expected_ns(self) -> int:
        """The part's time on the peers in one of these steps."""
    @property
    def excess_ns(self) -> int:
        """The rank's time above that."""
    @property
    def total_ns(self) -> int:
        """The same in all of these steps."""
