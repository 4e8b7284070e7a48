"""What `_core` has for comparisons; there is no such module of its own."""

from collections.abc import Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, final, overload

from typing_extensions import Self

_FilePath: TypeAlias = str | bytes | PathLike[str] | PathLike[bytes]
_Verdict: TypeAlias = Literal["faster", "slower", "same", "inconclusive", "not-comparable"]

def compare(
    base: _FilePath | Sequence[_FilePath],
    new: _FilePath | Sequence[_FilePath],
    *,
    threshold: float = 0.01,
    allow_different: bool = False,
    salvage: bool = False,
) -> Comparison:
    """Tells whether recordings of a program show it faster or slower than others, and where.

    A side is a recording, or a list of several runs: only with several can be told how much runs
    of the same program differ. Changes below `threshold`, a part of the base, are none.
    """

@final
class Comparison:
    """Recordings of two sides, compared."""

    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: object) -> Self: ...
    @property
    def verdict(self) -> _Verdict:
        """On a step or, where what passes between the steps changed, on the time from step to step;
        where the recordings have no steps, on the whole run.
        """
    @property
    def headline(self) -> str:
        """What a step takes now, how much that changed, and where, in words."""
    @property
    def rows(self) -> list[ComparisonRow]:
        """Every path of either side, in tree order."""
    @property
    def functions(self) -> list[ComparedFunction]:
        """The functions of the program or, with steps, of the lap that changed: those first that
        changed most. Empty where a recording has no samples of them.
        """
    @property
    def whole(self) -> ComparisonRow:
        """The row that the verdict is on: the step's, or the whole run's."""
    @property
    def step_to_step(self) -> ComparisonRow | None:
        """From the start of one step to that of the next; None where next to nothing is between them."""
    @property
    def inside(self) -> str | None:
        """The path of the lap that surely changed, where the step can't tell whether it did."""
    @property
    def differs(self) -> list[str]:
        """What makes the sides hard to compare: another machine, say."""
    @property
    def warnings(self) -> list[str]: ...
    @overload
    def to_json(self, path: None = None) -> str: ...
    @overload
    def to_json(self, path: _FilePath) -> None: ...
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
class ComparedFunction:
    """A function on both sides of a comparison. Times are nanoseconds for each step or run."""

    @property
    def name(self) -> str:
        """Qualified; of a script's code outside of functions empty."""
    @property
    def file(self) -> str | None:
        """None for a function of a package."""
    @property
    def line(self) -> int | None:
        """The line in which most of its time went by."""
    @property
    def unsampled_below_ns(self) -> float | None:
        """Below this it is on a side without a sample of it; None where both have samples."""
    @property
    def base_self_ns(self) -> float:
        """The base's time in it and in what it calls of packages; 0 without a sample of it."""
    @property
    def new_self_ns(self) -> float: ...
    @property
    def base_total_ns(self) -> float:
        """The base's time in it and in all that it calls."""
    @property
    def new_total_ns(self) -> float: ...
    @property
    def difference_ns(self) -> float:
        """The self time that is added."""
    @property
    def within_ns(self) -> float:
        """Half the width of the difference's interval; of many functions one wider than of 95 %."""
    @property
    def changed(self) -> Literal["self", "total"] | None:
        """What surely changed; None where that isn't sure."""

@final
class ComparisonRow:
    """One path on both sides of a comparison. Times are nanoseconds."""

    @property
    def path(self) -> str: ...
    @property
    def presence(self) -> Literal["both", "added", "removed"]: ...
    @property
    def base_ns(self) -> float | None:
        """The base's median."""
    @property
    def new_ns(self) -> float | None:
        """The other side's median."""
    @property
    def ratio(self) -> float | None:
        """New over base."""
    @property
    def interval(self) -> tuple[float, float] | None:
        """The ratio's 95 % interval."""
    @property
    def difference_ns(self) -> float:
        """Mean time for each step that is added."""
    @property
    def own_difference_ns(self) -> float:
        """The same, without what the paths inside take: all of them add up."""
    @property
    def median_difference_ns(self) -> float:
        """By how much a typical step is longer through it: of medians, as the verdict is."""
    @property
    def own_median_difference_ns(self) -> float:
        """The same, without what the paths inside take."""
    @property
    def verdict(self) -> _Verdict | None:
        """None for a path of one side."""
    @property
    def reason(self) -> str: ...
