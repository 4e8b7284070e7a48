"""`%laptime expr`: the loop that runs an expression as often as the plan asks for.

The plan, its statistics and its words are native. Here is what only Python can do: compile the
expression among the user's names, run it, and wait for the work that it leaves to a device.
"""

from __future__ import annotations

import ast
from time import process_time_ns
from typing import TYPE_CHECKING, Any

from .._core import BenchmarkPlan, now
from ..benchmarks._lazy_results import lazy
from ..device.wait import finish_all, finish_devices, holds_jax

if TYPE_CHECKING:
    from collections.abc import Callable

    from .._core import BenchmarkOutcome

# The loop of `timeit`, with its clock inside: the garbage collector stays as the program has it.
_LOOP = """
def _laptime_loop(_laptime_runs, _laptime_now, _laptime_wait):
    __tracebackhide__ = True
    _laptime_result = None
    _laptime_begun = _laptime_now()
    for _laptime_run in _laptime_runs:
        pass
    _laptime_wait(_laptime_result)
    return _laptime_now() - _laptime_begun, _laptime_result
"""


class MeasuredExpression:
    """How long an expression takes. Times are in nanoseconds for one run."""

    def __init__(self, outcome: BenchmarkOutcome, doubts: list[str]) -> None:
        #: Median of the samples.
        self.median_ns = outcome.median_ns
        #: Interval that holds the median with 95 % confidence; None with too few samples.
        self.ci = outcome.ci
        #: Every sample after warm-up, in the order they were measured.
        self.samples = outcome.samples
        #: Runs in a sample.
        self.iterations = outcome.iterations
        #: Samples before steady state, which are left out.
        self.warmup = outcome.warmup
        #: Why it ended: "precision" or "budget".
        self.ending = outcome.ending
        #: Reasons for doubt, one sentence each.
        self.warnings = doubts
        self._line = outcome.line

    def __str__(self) -> str:
        return "\n".join([self._line, *self.warnings])

    def __repr__(self) -> str:
        return f"<laptime: {self._line}>"

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(str(self))


def measure(shell: Any, source: str, budget_seconds: float) -> MeasuredExpression:
    """Runs an expression, or statements, among the user's names, and tells how long it takes."""
    __tracebackhide__ = True  # IPython leaves such frames out
    loop = _compiled(shell, source)
    plan = BenchmarkPlan(budget_seconds)
    result: Any = None
    finish = finish_all
    while iterations := plan.next():
        cpu_ns = process_time_ns()
        ticks, result = loop(range(iterations), now, finish)
        if finish is finish_all and not holds_jax(result):
            # Going through a long list for arrays that it doesn't hold takes time of its own.
            finish = finish_devices
        plan.told(ticks, process_time_ns() - cpu_ns)
    outcome = plan.outcome()
    unfinished = lazy(result, "await it in a %%laptime cell", "go through it in a %%laptime cell")
    return MeasuredExpression(
        outcome, [*([unfinished] if unfinished else []), *outcome.doubts("--budget {}")]
    )


def _compiled(shell: Any, source: str) -> Callable[..., tuple[int, Any]]:
    transformed = shell.transform_cell(source)
    parsed = ast.parse(transformed, "<laptime>")
    if any(isinstance(node, ast.Await) for node in ast.walk(parsed)):
        raise _usage_error("%laptime can't await. Measure it in a cell that begins with %%laptime.")
    # As the cell's own code it is refused what a function may do, such as to return.
    compile(parsed, "<laptime>", "exec")
    parsed = shell.transform_ast(parsed)
    loop = ast.parse(_LOOP)
    function = loop.body[0]
    assert isinstance(function, ast.FunctionDef)
    repeated = function.body[3]
    assert isinstance(repeated, ast.For)
    body: list[ast.stmt] = list(parsed.body)
    last = body[-1]
    if isinstance(last, ast.Expr):
        held = ast.Name("_laptime_result", ast.Store())
        body[-1] = ast.copy_location(ast.Assign([held], last.value), last)
    repeated.body = body
    ast.fix_missing_locations(loop)
    names: dict[str, Any] = {}
    # Among the user's own names, so that functions that the expression makes find them later too.
    exec(compile(loop, "<laptime>", "exec"), shell.user_ns, names)
    made: Callable[..., tuple[int, Any]] = names["_laptime_loop"]
    return made


def _usage_error(message: str) -> Exception:
    from IPython.core.error import UsageError

    return UsageError(message)
