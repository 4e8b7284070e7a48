"""What is remembered of a data loader and of one iteration over it.

A batch fetch is filed under ``step`` or ``evaluation`` once the next forward tells which;
until then the span it opened carries a guess. The guess comes from what this loader's
batches were used for last time. No torch here: the objects are plain memory.
"""

from __future__ import annotations

from collections.abc import Callable

STEP = "step"
EVALUATION = "evaluation"
LOADING = "loading"


class Loader:
    """What a loader's batches were used for last time."""

    __slots__ = ("expects", "fetch_only", "teacher", "with_grad")

    def __init__(self) -> None:
        self.expects = ""
        """``step``, ``evaluation``, ``loading``, or nothing known yet."""
        self.teacher = False
        """A step of it begins with a forward without gradients."""
        self.with_grad = False
        """Its evaluation runs with gradients on."""
        self.fetch_only = False
        """Its fetches run inside a lap of the user's that ends before the forward."""

    def guess(self, grad_enabled: bool) -> str:
        """What the next batch will be used for."""
        if self.expects == STEP and not grad_enabled and not self.teacher:
            return EVALUATION
        if self.expects:
            return self.expects
        return STEP if grad_enabled else EVALUATION

    def first_forward(self, grad: bool, training: bool) -> str:
        """What a batch is used for, told by the first forward that follows its fetch."""
        if not grad:
            return STEP if self.expects == STEP and self.teacher else EVALUATION
        if self.expects == EVALUATION and self.with_grad:
            return EVALUATION
        return STEP if training or self.expects == STEP else EVALUATION

    def was_step(self) -> None:
        """Its batch was trained on."""
        self.expects = STEP
        self.with_grad = False

    def was_evaluation(self, with_grad: bool) -> None:
        """Its batch was evaluated."""
        self.expects = EVALUATION
        self.with_grad = with_grad
        self.teacher = False


class Iteration:
    """One pass over a loader."""

    __slots__ = ("alive", "confirmed", "exhausted", "loader", "made", "marked")

    def __init__(self, loader: Loader, alive: Callable[[], object] | None = None) -> None:
        self.loader = loader
        self.alive = alive
        """Returns ``None`` when nobody holds the iterator any more."""
        self.made: tuple[int, int] | None = None
        """Start and end of making the iterator, in ticks."""
        self.confirmed = ""
        """What its batches are used for, once a forward has told."""
        self.exhausted = False
        self.marked = False

    def in_play(self) -> bool:
        """Whether it may still deliver a batch."""
        return not self.exhausted and (self.alive is None or self.alive() is not None)
