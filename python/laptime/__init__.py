"""Laptime tells where a program spends its time.

    import laptime as lt

    with lt.lap("forward"):
        ...
    print(lt.report())

Laps are recorded in memory from the import on (`lt.disable()` stops that, the environment
variable `LAPTIME=0` keeps it off); `lt.record("train.lap")` writes them to disk.
"""

from . import _autostart as _autostart
from ._capture import capture
from ._ceilings import ceilings
from ._compare import compare
from ._compile import register as _register
from ._core import (
    ArrowTable,
    Ceiling,
    Ceilings,
    ComparedFunction,
    Comparison,
    ComparisonRow,
    DamagedRecordingError,
    Finding,
    InferenceCase,
    InferenceLoad,
    Lap,
    LaptimeError,
    NotAvailableError,
    OpCounts,
    OpRow,
    Ranks,
    Recording,
    Report,
    SlowRank,
    SpanSummary,
    SpeedVerdict,
    StepWindow,
    Timer,
    TimerContext,
    __version__,
    disable,
    enable,
    lap,
    mark,
    metric,
    open,
    ranks,
    report,
    reset,
)
from ._device_times import watch as _watch_devices
from ._launches import sync_on
from ._log_every import log_every
from ._push import pop, push
from ._record import Record, record
from ._track import track
from .benchmarks import (
    Benchmark,
    FunctionComparison,
    InferenceBenchmark,
    bench,
    bench_inference,
)
from .operations import count, no_weights, register_formula

__all__ = [
    "ArrowTable",
    "Benchmark",
    "Ceiling",
    "Ceilings",
    "ComparedFunction",
    "Comparison",
    "ComparisonRow",
    "DamagedRecordingError",
    "Finding",
    "FunctionComparison",
    "InferenceBenchmark",
    "InferenceCase",
    "InferenceLoad",
    "Lap",
    "LaptimeError",
    "NotAvailableError",
    "OpCounts",
    "OpRow",
    "Ranks",
    "Record",
    "Recording",
    "Report",
    "SlowRank",
    "SpanSummary",
    "SpeedVerdict",
    "StepWindow",
    "Timer",
    "TimerContext",
    "__version__",
    "bench",
    "bench_inference",
    "capture",
    "ceilings",
    "compare",
    "count",
    "disable",
    "enable",
    "lap",
    "log_every",
    "mark",
    "metric",
    "no_weights",
    "open",
    "pop",
    "push",
    "ranks",
    "record",
    "register_formula",
    "report",
    "reset",
    "sync_on",
    "track",
]

_register()
_watch_devices()


def load_ipython_extension(shell: object) -> None:
    """What `%load_ext laptime` calls: `%laptime`, `%%laptime` and `%laptime auto`."""
    from .integrations import ipython

    ipython.load(shell)


def unload_ipython_extension(shell: object) -> None:
    """What `%unload_ext laptime` calls."""
    from .integrations import ipython

    ipython.unload(shell)


# No `__getattr__` here: CPython 3.11 then gives up its short way to `lt.lap`, for 20 ns a lap.
