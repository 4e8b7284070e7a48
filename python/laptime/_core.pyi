"""The compiled part of Laptime. What stands in `laptime` itself is the interface."""

from collections.abc import Callable, Iterator, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Final, Literal, SupportsIndex, TypeAlias, TypeVar, final, overload

from typing_extensions import Self

from ._core_benchmark import (
    BenchmarkOutcome as BenchmarkOutcome,
    BenchmarkPlan as BenchmarkPlan,
    ContestOutcome as ContestOutcome,
    ContestPlan as ContestPlan,
    SpeedVerdict as SpeedVerdict,
    bytes_text as bytes_text,
    duration_text as duration_text,
    judge_samples as judge_samples,
    machine as machine,
    rate_text as rate_text,
    visible_text as visible_text,
)
from ._core_comparison import (
    ComparedFunction as ComparedFunction,
    Comparison as Comparison,
    ComparisonRow as ComparisonRow,
    compare as compare,
)
from ._core_devices import (
    Allocators as Allocators,
    AsideSpan as AsideSpan,
    catch_up_at_exit as catch_up_at_exit,
    cuda_profiler_start as cuda_profiler_start,
    cuda_profiler_stop as cuda_profiler_stop,
    leave_devices as leave_devices,
    nvtx_start as nvtx_start,
    see_all_streams as see_all_streams,
    see_stream as see_stream,
    time_on_devices as time_on_devices,
    wait_for_devices as wait_for_devices,
)
from ._core_inference import (
    InferenceCase as InferenceCase,
    InferenceLoad as InferenceLoad,
    InferenceOutcome as InferenceOutcome,
    InferencePlan as InferencePlan,
    LoadPlan as LoadPlan,
)
from ._core_lap import (
    Lap as Lap,
    lap as lap,
)
from ._core_operations import (
    Feed as Feed,
    OpCall as OpCall,
    OpCost as OpCost,
    OpCounts as OpCounts,
    OpRow as OpRow,
    OwnMemory as OwnMemory,
    Shape as Shape,
    State as State,
    Stretches as Stretches,
    Structures as Structures,
    Taken as Taken,
    TorchDispatch as TorchDispatch,
    TorchFunction as TorchFunction,
    UncountedOp as UncountedOp,
    count_onnx as count_onnx,
    has_formula as has_formula,
    note_ceilings as note_ceilings,
    path_number as path_number,
    plain_path as plain_path,
    ran as ran,
    register_formula as register_formula,
    undone as undone,
    write_operations as write_operations,
)
from ._core_phases import (
    CalledModule as CalledModule,
    Compilations as Compilations,
    ModuleLaps as ModuleLaps,
    Phases as Phases,
    Watched as Watched,
    end_early as end_early,
    look_at_launches as look_at_launches,
    set_profiling as set_profiling,
    set_unseen as set_unseen,
    write_operators as write_operators,
)
from ._core_ranks import Ranks as Ranks, SlowRank as SlowRank, ranks as ranks
from ._core_steps import (
    StepListener as StepListener,
    StepWindow as StepWindow,
    epoch_line as epoch_line,
    total_line as total_line,
)
from ._core_summary import SpanSummary as SpanSummary
from ._core_timer import (
    ProfilingSegments as ProfilingSegments,
    Timer as Timer,
    TimerContext as TimerContext,
)

_F = TypeVar("_F", bound=Callable[..., Any])
_Path: TypeAlias = str | tuple[str, ...]
_FilePath: TypeAlias = str | bytes | PathLike[str] | PathLike[bytes]

__version__: Final[str]

def raised_by_handler(error: BaseException, *, own: bool = True) -> bool: ...

class LaptimeError(Exception):
    """The root of Laptime's own errors."""

class DamagedRecordingError(LaptimeError):
    """A recording cannot be read: it is damaged, empty, foreign or newer; the message says where."""

class NotAvailableError(LaptimeError):
    """Asked for something that this version does not do; the message names what exists."""

def copied_timer(
    settings: tuple[str, Any, str, bool, bool], is_on: bool, contexts: list[Any]
) -> Timer:
    """Makes a timer again from what its `__reduce__` gave."""

def mark(name: str, /) -> None:
    """Records a named instant."""

def metric(name: str, value: float, /) -> None:
    """Records a named number at this instant."""

def enable() -> None:
    """Records from now on."""

def disable() -> None:
    """Records nothing from now on."""

def report() -> Report:
    """The report of this process so far."""

def reset() -> None:
    """Forgets what was recorded in memory so far: reports hold only what comes from now on.

    Open laps go on. A recording on disk keeps all, and timers keep their history.
    """

def open(path: _FilePath, *, salvage: bool = False) -> Recording:
    """Opens a recording: a folder, a packed file, or one process file of it.

    With `salvage`, damage becomes a warning of the report, and what is intact is read.
    """

@final
class Ceiling:
    """The most that a device can do of one thing."""

    @property
    def device(self) -> str: ...
    @property
    def dtype(self) -> str | None:
        """Type of the numbers; None for memory."""
    @property
    def per_s(self) -> float:
        """FLOP/s, operations a second for integers, or bytes/s for memory."""
    @property
    def label(self) -> str: ...
    @property
    def origin(self) -> str:
        """`published`, `framework` (matrix products, copies) or `instructions`."""
    @property
    def how(self) -> str:
        """What was measured, or who published it."""
    @property
    def samples(self) -> int | None: ...
    @property
    def median_ratio(self) -> float | None:
        """The median sample's rate as a part of the best one's."""
    @property
    def cpu_ratio(self) -> float | None:
        """Processor time that the best sample had, as a part of what it wanted; None for devices.

        Below 0.9 something else ran, and the ceiling is too low.
        """
    @property
    def threads(self) -> int | None:
        """On how many threads it was measured; None for devices and what was published."""
    @property
    def is_disturbed(self) -> bool:
        """Whether the machine was busy while it was measured: a quiet one may reach more."""

@final
class Ceilings:
    """What this machine's devices can do at most."""

    @property
    def machine(self) -> str: ...
    @property
    def all(self) -> list[Ceiling]: ...
    @property
    def absent(self) -> list[tuple[str, str]]:
        """What could not be measured, and why."""
    def flop_per_s(self, dtype: str = "float32", device: str = "cpu") -> float | None:
        """The peak that rates are compared with; None where none is known."""
    def bytes_per_s(self, device: str = "cpu") -> float | None:
        """Memory bandwidth; None where none is known."""
    def get(self, dtype: str | None = "float32", device: str = "cpu") -> Ceiling | None:
        """The ceiling that rates are compared with; of memory where the type is None."""
    def to_json(self) -> str: ...
    def _sample(
        self,
        device: str,
        dtype: str | None,
        how: str,
        work: float,
        threads: int | None,
        call: Callable[[], object],
    ) -> None: ...
    def _empty(self) -> Ceilings: ...
    def _take(self, fresh: Ceilings) -> None: ...
    def _knows(self, device: str, how: str) -> bool: ...
    def _absent(self, what: str, why: str) -> None: ...
    def _published(self, device: str, name: str) -> None: ...
    def _store(self) -> str: ...

def kept_or_measured_ceilings() -> Ceilings: ...
def measure_ceilings() -> Ceilings: ...

@final
class Finding:
    """Something that is worth a look; its str() is its text."""

    @property
    def kind(self) -> str:
        """A stable word for what was found, such as `data-wait`."""
    @property
    def text(self) -> str:
        """What was found and what to try, as the report prints it."""
    @property
    def function(self) -> str | None:
        """The function that most of it is in; None where none is known."""
    @property
    def file(self) -> str | None:
        """The file that the function stands in."""
    @property
    def line(self) -> int | None:
        """The line that most of the function's own time is in."""
    @property
    def evidence(self) -> dict[str, Any]:
        """The numbers that were seen, by the names of the published schema."""
    @property
    def next(self) -> list[str] | None:
        """The words of the command that tells more, `laptime` first; None where there is none."""

@final
class Report:
    """The summary of a program so far, or of a recording."""

    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: object) -> Self: ...
    @property
    def program(self) -> str: ...
    @property
    def wall_ns(self) -> int: ...
    @property
    def steady(self) -> Report | None:
        """The report without warm-up; None when no steady state was found, see `why("steady")`."""
    @property
    def headline(self) -> str:
        """Where the time went, in words: the first line of every report."""
    @property
    def findings(self) -> list[Finding]:
        """What to look at first, the weightiest first, each with what to try."""
    @property
    def next(self) -> list[str] | None:
        """The words of the command that shows more of the run, `laptime` first; None without a recording."""
    @property
    def warnings(self) -> list[str]: ...
    def why(self, field: str) -> str | None: ...
    def find(self, pattern: str) -> list[SpanSummary]: ...
    @overload
    def to_markdown(self, path: None = None) -> str: ...
    @overload
    def to_markdown(self, path: _FilePath) -> None: ...
    @overload
    def to_json(self, path: None = None) -> str: ...
    @overload
    def to_json(self, path: _FilePath) -> None: ...
    @overload
    def to_csv(self, path: None = None) -> str: ...
    @overload
    def to_csv(self, path: _FilePath) -> None: ...
    def to_tree(self) -> str: ...
    @overload
    def to_html(self, path: None = None) -> str:
        """A page to open in a browser; a recording's has a timeline."""
    @overload
    def to_html(self, path: _FilePath) -> None:
        """Writes the page there, replacing what is there."""
    def to_arrow(self) -> ArrowTable: ...
    def show(self) -> None: ...
    def _repr_mimebundle_(
        self, include: Any | None = None, exclude: Any | None = None
    ) -> dict[str, str]: ...
    def __arrow_c_stream__(self, requested_schema: Any | None = None) -> Any: ...
    def __contains__(self, path: object, /) -> bool: ...
    def __getitem__(self, path: _Path, /) -> SpanSummary: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...

@final
class Recording:
    """A recording on disk."""

    @property
    def path(self) -> Path: ...
    @property
    def environment(self) -> dict[str, str]: ...
    def report(self) -> Report: ...
    def show(self) -> None:
        """Shows the page below a notebook's cell; prints the table elsewhere."""
    def _repr_mimebundle_(
        self, include: Any | None = None, exclude: Any | None = None
    ) -> dict[str, str]: ...
    def spans(self) -> ArrowTable: ...
    def export(
        self,
        path: _FilePath,
        format: Literal["chrome", "perfetto", "speedscope", "collapsed", "parquet", "pstats"]
        | None = None,
    ) -> None:
        """Writes the recording in the format of another tool.

        What `path` ends in says which, unless `format` does. Replaces what is there.
        """
    def tree(self) -> str: ...
    def metrics(self) -> dict[str, list[tuple[int, float | None]]]: ...

@final
class ArrowTable:
    """A table that polars, pandas, duckdb or pyarrow can read, as often as they like."""

    def __copy__(self) -> Self: ...
    def __deepcopy__(self, memo: object) -> Self: ...
    def __arrow_c_stream__(self, requested_schema: Any | None = None) -> Any: ...

# For integrations: spans by token. 0 stands for "nothing was opened".

def now() -> int: ...
def ticks_to_ns(ticks: int) -> int: ...
def open_span(name: str, start: int | None = None, *, automatic: bool = False) -> int: ...
def close_span(token: int, end: int | None = None, flags: int = 0) -> int: ...
def is_open(token: int) -> bool: ...
def suspend_span(token: int) -> int: ...
def count_calls() -> bool: ...
def leave_calls() -> None: ...
def leave_interpreter() -> None: ...
def leave_stacks() -> None: ...
def note(code: str, message: str) -> None: ...
def recorded_file(file: str) -> str: ...
def sample_stacks() -> None: ...
def current_path() -> list[str]: ...
def is_on() -> bool: ...
def write_timeline(
    path: str | PathLike[str],
    title: str,
    contexts: Sequence[
        tuple[str, Sequence[tuple[str, int, int, int | None, int | None, int | None]]]
    ],
    figsize: tuple[float, float] | None = None,
) -> None:
    """Writes a page that shows a timer's contexts over time, one panel each.

    A context is its name and its segments; a segment is its name, start_ns (of any clock that all
    contexts share), duration_ns, and memory in bytes: net (at its end less at its start), peak
    (the most above what was there at its start) and before (at its start). Without both net and
    before a segment has no memory; the peak may be None by itself. `figsize` is the first width
    and height of the drawing in pixels; None takes the window's width.
    """

def run_cli(arguments: Sequence[str]) -> int: ...
def join(folder: str | PathLike[str]) -> None: ...
def warn(message: str) -> None: ...
def close() -> None: ...
def current_folder() -> Path | None: ...

@final
class Recorder:
    @staticmethod
    def make_room(path: _FilePath) -> None: ...
    def __new__(cls, path: _FilePath) -> Recorder: ...
    @property
    def path(self) -> Path: ...
    @property
    def folder(self) -> str: ...
    @property
    def taken_path(self) -> str | None: ...
    def finish(self) -> None: ...

@final
class Asked:
    @property
    def is_off(self) -> bool: ...
    @property
    def run(self) -> str | None: ...
    @property
    def record(self) -> str | None: ...
    @property
    def memory(self) -> Literal["allocations", "objects"] | None: ...
    @property
    def device_memory(self) -> Literal["off", "bounds", "fold"] | None: ...
    @property
    def automatic(self) -> list[str]: ...
    @property
    def device(self) -> Literal["events", "sync", "off"] | None: ...
    @property
    def streams(self) -> Literal["current", "all"] | None: ...
    @property
    def warnings(self) -> list[tuple[str, str]]: ...

def asked() -> Asked: ...

@final
class Pieces:
    def __new__(
        cls,
        name: str,
        *,
        flop: SupportsIndex | float | None = None,
        bytes: SupportsIndex | float | None = None,
    ) -> Pieces: ...
    def resume(self) -> None: ...
    def pause(self) -> None: ...
    def finish(self) -> None: ...

# For `laptime.timing`: its statistics. Times are seconds.

@final
class Latency:
    """Latency of a model's calls, in milliseconds."""

    def __new__(cls, ticks: Sequence[int], batch: int) -> Latency: ...
    @property
    def milliseconds(self) -> list[float]: ...
    @property
    def interval(self) -> tuple[float, float] | None: ...
    @property
    def interval_reason(self) -> str | None: ...
    @property
    def samples_per_s(self) -> float | None: ...
    @property
    def steadiness(self) -> tuple[bool | None, str | None]: ...

def ticks_to_seconds(ticks: int) -> float: ...
def first_steady(seconds: Sequence[float]) -> tuple[int | None, str | None]: ...
def csv_field(text: str) -> str: ...
def write_output(path: _FilePath, text: str) -> None: ...

# Host memory of laps, and of intervals that are no laps: net and peak in bytes.

def memory_start(objects: bool = False) -> tuple[bool, str | None]: ...
def memory_stop() -> None: ...
def memory_of_process() -> tuple[int, int] | None: ...
def memory_open() -> int: ...
def memory_close(token: int) -> tuple[int, int] | None: ...

@final
class FindsWaited:
    def __new__(cls, waiting: dict[str, Any], imported: Callable[[Any], object]) -> FindsWaited: ...
    def __call__(self, name: Any, path: Any = None, target: Any = None) -> Any: ...

def cell_options(words: Sequence[str]) -> dict[str, Any]: ...
def cell_line(name: str, ticks: int, is_stopped: bool, peak_bytes: int | None) -> str: ...
def finished_line(ticks: int, at: str, is_stopped: bool, peak_bytes: int | None) -> str: ...
