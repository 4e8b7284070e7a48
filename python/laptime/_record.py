"""`lt.record`: a recording of this process on disk."""

from __future__ import annotations

import _thread
import atexit
import os
import sys

from . import _device_memory, _tally
from ._core import (
    Recorder,
    asked,
    count_calls,
    leave_calls,
    leave_stacks,
    memory_stop,
    raised_by_handler,
    sample_stacks,
)
from ._device_times import Wish, say_why_none
from ._launches import note_launches
from ._log import warn
from ._notebook_cells import note_cells

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType
    from typing import Literal


# The recording that this process began last, and the process: a forked child has its parent's.
_latest: Record | None = None
_latest_pid = 0


class Record:
    """A recording in progress. Stop it by `with` or by `stop()`.

    Processes that this one forks or spawns meanwhile, such as DataLoader workers, join it.
    """

    #: How to ask that a recording be replaced.
    _FORCE = "force=True"

    def __init__(
        self,
        path: str | bytes | os.PathLike[str] | os.PathLike[bytes],
        *,
        memory: bool | Literal["objects"] = False,
        device_memory: Literal["bounds", "fold"] | None = None,
        sync: bool = False,
        streams: Literal["current", "all"] = "current",
        phases: bool = False,
        modules: bool = False,
        ops: bool = False,
        stacks: bool = False,
        calls: bool = False,
        nvtx: bool = False,
        kernels: range | slice | str | None = None,
        force: bool = False,
    ) -> None:
        global _latest, _latest_pid
        path = os.fsdecode(path)
        _check_name(path)
        if memory not in (False, True, "objects"):
            raise ValueError(f"memory must be False, True or 'objects', not {memory!r}")
        if device_memory not in (None, "bounds", "fold"):
            ways = "None, 'bounds' or 'fold'"
            raise ValueError(f"device_memory must be {ways}, not {device_memory!r}")
        switches = {
            "sync": sync,
            "phases": phases,
            "modules": modules,
            "ops": ops,
            "stacks": stacks,
            "calls": calls,
            "nvtx": nvtx,
            "force": force,
        }
        for name, value in switches.items():
            if value not in (True, False):
                raise ValueError(f"{name} must be True or False, not {value!r}")
        if streams not in ("current", "all"):
            raise ValueError(f"streams must be 'current' or 'all', not {streams!r}")
        steps = None
        if kernels is not None:
            from .integrations._profiler_steps import steps_of

            steps = steps_of(kernels)
        if device_memory is not None and not memory and asked().memory is None:
            warn(
                f"device_memory={device_memory!r} says how memory of devices is read, which "
                "memory=True asks for"
            )
        self._counts_memory = bool(memory) and _tally.start(objects=memory == "objects")
        self._reads_devices = bool(memory) and _device_memory.start(device_memory)
        self._device_wish = Wish(sync=sync, all_streams=streams == "all")
        self._samples_stacks = stacks
        self._knows_functions = stacks or calls
        if stacks:
            sample_stacks()
        try:
            recorder = _replace(path) if force else Recorder(path)
        except BaseException:
            if self._counts_memory:
                memory_stop()
            if self._reads_devices:
                _device_memory.stop()
            self._device_wish.release()
            if stacks:
                leave_stacks()
            raise
        self._recorder: Recorder | _Elsewhere = recorder
        self._phases = phases or modules or ops or steps is not None
        self._outer_run = os.environ.get("LAPTIME_RUN")
        if recorder.taken_path is not None:
            more = "" if force else f"; {self._FORCE} replaces it"
            warn(f"{recorder.taken_path}{more}")
        if self._outer_run is None:
            os.environ["LAPTIME_RUN"] = str(self.path)
        if self._phases:
            from .integrations import _autojax, _autotorch, _program_ranges

            _autotorch.install(modules=modules, ops=ops, kernels=steps)
            _autojax.install()
            _program_ranges.install()
        if nvtx:
            from ._nvtx import start

            start()
        _latest, _latest_pid = self, os.getpid()
        # Recording goes on when nobody keeps this object, and ends well with the interpreter.
        atexit.register(self.stop)
        # Last: what comes from here on is the program's.
        self._counts_calls = calls and count_calls()

    @classmethod
    def written_elsewhere(cls, path: str) -> Record:
        """What is unpickled: a record that tells its path and ends nothing."""
        from pathlib import Path

        record = cls.__new__(cls)
        record._recorder = _Elsewhere(Path(path))
        record._device_wish = Wish(sync=False, all_streams=False)
        record._phases = record._counts_memory = record._samples_stacks = False
        record._counts_calls = record._knows_functions = record._reads_devices = False
        record._outer_run = path
        return record

    @property
    def path(self) -> Path:
        """Where it is: another path than the one asked for when that was taken."""
        return self._recorder.path

    def stop(self) -> None:
        """Finishes the recording; a second time does nothing.

        Raises nothing of its own: what cannot be written is one warning on
        `logging.getLogger("laptime")`.
        """
        if self._counts_calls:
            self._counts_calls = False
            leave_calls()
        atexit.unregister(self.stop)
        raised = None
        ends = (self._leave_environment, self._end_phases, self._end_devices, self._name_cells)
        for end in (*ends, self._finish, self._end_memory, self._device_wish.release):
            try:
                end()
            except BaseException as error:
                if raised_by_handler(error):
                    raised = error
                    continue
                warn(f"the recording {self.path} is not complete: {error}")
        if raised is not None:
            raise raised

    def _leave_environment(self) -> None:
        if self._outer_run is None and os.environ.get("LAPTIME_RUN") == str(self.path):
            del os.environ["LAPTIME_RUN"]

    def _end_phases(self) -> None:
        if self._phases:
            from .integrations import _autojax, _autotorch, _program_ranges

            self._phases = False
            _autotorch.uninstall()
            _autojax.uninstall()
            _program_ranges.uninstall()

    def _end_devices(self) -> None:
        if self._reads_devices:
            self._reads_devices = False
            _device_memory.stop()
        # Phases say it as they end.
        say_why_none(sys.modules.get("torch"))

    def _name_cells(self) -> None:
        # By itself: what IPython keeps may change, and the recording ends all the same.
        if self._knows_functions:
            self._knows_functions = False
            note_cells()

    def _finish(self) -> None:
        note_launches()
        if self._samples_stacks:
            self._samples_stacks = False
            leave_stacks()
        # Nobody begins at this path meanwhile.
        with _replacing:
            self._recorder.finish()

    def _end_memory(self) -> None:
        if self._counts_memory:
            self._counts_memory = False
            memory_stop()

    def __enter__(self) -> Record:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.stop()

    def __copy__(self) -> Record:
        return self

    def __deepcopy__(self, memo: object) -> Record:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return Record.written_elsewhere, (str(self.path),)

    def __repr__(self) -> str:
        return f"<laptime.Record {str(self.path)!r}>"


def _check_name(path: str) -> None:
    """Refuses names that `laptime run -o` refuses: no command would find such a recording."""
    stem, ending = os.path.splitext(path.rstrip(os.sep))
    if ending != ".lap":
        near = stem if ending[1:].isalpha() else path
        raise ValueError(
            f"cannot record in {path!r}: a recording's name ends in .lap, such as {near + '.lap'!r}"
        )


def _replace(path: str) -> Recorder:
    """Makes room at a path and begins there; one thread at a time, or one deletes another's."""
    with _replacing:
        _make_room(path)
        return Recorder(path)


_replacing = _thread.RLock()
# A forked child may inherit it held by a thread that it doesn't have.
os.register_at_fork(after_in_child=_replacing._at_fork_reinit)  # type: ignore[attr-defined]


def _make_room(path: str) -> None:
    """Deletes the recording at a path, after ending it if this process began it.

    One that this process only takes part in stays: a spawned worker runs its script's
    `lt.record` again, while its parent records there.
    """
    place = os.path.realpath(path)
    is_own = _latest is not None and _latest_pid == os.getpid()
    if _latest is not None and is_own and os.path.realpath(_latest.path) == place:
        _latest.stop()
    joined = os.environ.get("LAPTIME_RUN")
    if not joined or os.path.realpath(joined) != place:
        Recorder.make_room(path)


class _Elsewhere:
    """A recording that another process, or another object, writes and ends."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def finish(self) -> None:
        """Leaves it alone."""


def record(
    path: str | bytes | os.PathLike[str] | os.PathLike[bytes],
    *,
    memory: bool | Literal["objects"] = False,
    device_memory: Literal["bounds", "fold"] | None = None,
    sync: bool = False,
    streams: Literal["current", "all"] = "current",
    phases: bool = False,
    modules: bool = False,
    ops: bool = False,
    stacks: bool = False,
    calls: bool = False,
    nvtx: bool = False,
    kernels: range | slice | str | None = None,
    force: bool = False,
) -> Record:
    """Records this process to disk from now on.

    `memory` counts what each lap allocates and frees; `"objects"` counts small Python objects one
    by one too, instead of by the arenas that hold them. Where the program uses PyTorch on CUDA,
    each lap's memory there is read too: `device_memory="fold"` makes peaks exact by resetting those
    of PyTorch's allocator at each lap, of which the program reads what it would without.
    On CUDA laps are timed by events on the stream that is current where they begin; with
    `streams="all"` they end at the last of all streams that the program used. `sync=True` has laps
    wait for the device where they begin and end, so that host times are the device's: the program
    is slower then.
    `phases` splits PyTorch training into data, forward, backward and optimizer; `modules` adds
    time per module; `ops` counts the operations of the first step of each input shape and joins
    them with the time of all others; `stacks` samples the functions that Python's threads are in,
    up to a hundred times per second; `calls` counts every call of a function and of a builtin, as
    cProfile does, which makes programs of many short functions slower; `nvtx` hands laps to nsys or
    ncu as NVTX ranges, which happens by itself where such a tool started the program, and says so
    where none is attached; `kernels` profiles the operators and kernels of some steps, such as
    `range(10, 13)`, counted from 0. An existing path is not overwritten: the next free `-<n>` is
    taken. With `force` a recording there is replaced, such as that of the same notebook cell, but
    never one that a parent process is writing; anything else raises FileExistsError.
    """
    return Record(
        path,
        memory=memory,
        device_memory=device_memory,
        sync=sync,
        streams=streams,
        phases=phases,
        modules=modules,
        ops=ops,
        stacks=stacks,
        calls=calls,
        nvtx=nvtx,
        kernels=kernels,
        force=force,
    )
