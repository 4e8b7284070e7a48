"""Cells of a notebook, measured from a call at their start to IPython's event at their end."""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
from contextlib import suppress
from time import localtime, strftime
from typing import TYPE_CHECKING, Any

from .._core import (
    cell_line,
    cell_options,
    close_span,
    current_folder,
    finished_line,
    now,
    open as open_recording,
    open_span,
    raised_by_handler,
    ticks_to_ns,
)
from .._log import warn
from .._record import Record
from .._resident_memory import Region
from ..device.wait import synchronize

if TYPE_CHECKING:
    from .._core import Report

#: Cells that take less get no line from `%laptime auto`.
LEAST_SECONDS = 1.0
#: What a cell without a name is called.
UNNAMED = "cell"


class CellRecord(Record):
    """The recording of a cell."""

    _FORCE = "--force"


class Measurement:
    """A cell under `%%laptime`: a lap, and where nothing records yet a recording of its own."""

    def __init__(self, options: dict[str, Any]) -> None:
        self._name: str = options["name"] or ""
        self._lap = self._name or UNNAMED
        self._asks_functions = bool(options["stacks"] or options["calls"])
        self._folder: str | None = None
        self._elsewhere: os.PathLike[str] | None = None
        self._kept: os.PathLike[str] | None = None
        self._record = self._recorded(options)
        self._ticks: int | None = None
        self._token = open_span(self._lap)
        self._begun = now()

    def _recorded(self, options: dict[str, Any]) -> Record | None:
        self._elsewhere = current_folder()
        if self._elsewhere is not None:
            return None
        path = options["output"]
        if path is None:
            try:
                self._folder = tempfile.mkdtemp(prefix="laptime-")
            except OSError as error:
                warn(f"the laps of this cell cannot be shown: {error}")
                return None
            path = os.path.join(self._folder, "cell.lap")
        memory = options["memory"]
        record = CellRecord(
            path,
            memory="objects" if memory == "objects" else bool(memory),
            phases=options["phases"],
            modules=options["modules"],
            ops=options["ops"],
            stacks=options["stacks"],
            calls=options["calls"],
            force=options["force"],
        )
        if options["output"] is not None:
            self._kept = record.path
        return record

    def close(self) -> None:
        """Ends the lap, in the task that it began in."""
        if self._ticks is None:
            _finish_devices()
            self._ticks = now() - self._begun
            close_span(self._token)

    def show(self, is_stopped: bool) -> None:
        """Shows what was measured."""
        self.close()
        report = self._report()
        peak = None
        if report is not None and self._lap in report:
            peak = report[self._lap].host_memory_peak_max_bytes
        print(cell_line(self._name, self._ticks or 0, is_stopped, peak))  # noqa: T201
        if self._elsewhere is not None:
            print(f"Its laps are in {self._elsewhere}, which was being recorded.")  # noqa: T201
        # A table of the cell alone says what the line says, unless its functions are below it.
        if report is not None and (self._asks_functions or any("/" in path for path in report)):
            from IPython.display import display

            display(report)
        if self._kept is not None:
            print(f"laptime report {self._kept}")  # noqa: T201

    def _report(self) -> Report | None:
        if self._record is None:
            return None
        try:
            self._record.stop()
            return open_recording(self._record.path).report()
        except Exception as error:
            if raised_by_handler(error):
                raise
            warn(f"the laps of this cell cannot be shown: {error}")
            return None
        finally:
            if self._folder is not None:
                shutil.rmtree(self._folder, ignore_errors=True)


class _Frame:
    """A cell that runs; cells run inside cells under other magics."""

    def __init__(self, is_auto: bool) -> None:
        self.measurement: Measurement | None = None
        #: How many cells were running, silent ones included, when the measurement began.
        self.depth = 0
        self.is_auto = is_auto
        self.region = None
        if is_auto:
            # Where the system doesn't tell, the line says so.
            with suppress(OSError):
                self.region = Region()
        self.begun = now()

    def end_auto(self, is_stopped: bool) -> None:
        """Prints the line of a long cell."""
        if not self.is_auto:
            return
        peak = None
        try:
            _finish_devices()
        finally:
            ticks = now() - self.begun
            if self.region is not None:
                with suppress(OSError):
                    peak = self.region.peak_bytes()
        if ticks_to_ns(ticks) >= LEAST_SECONDS * 1e9:
            at = strftime("%H:%M:%S", localtime())
            print(finished_line(ticks, at, is_stopped, peak))  # noqa: T201


class Cells:
    """The cells of one shell, from IPython's event at their start to that at their end."""

    def __init__(self, shell: Any) -> None:
        self._shell = shell
        self._frames: list[_Frame] = []
        self._depth = 0
        self._replaced: dict[str, Any] = {}
        #: Whether each long cell gets a line.
        self.is_auto = False

    def load(self) -> None:
        """Hears of cells from now on.

        A cell that awaits is a task of its own, and IPython's event at its end comes in another:
        the lap ends with what runs the cell's code, inside of the task.
        """
        shell = self._shell
        run_cell, show_traceback = shell.run_ast_nodes, shell.showtraceback

        async def run_ast_nodes(*arguments: Any, **keywords: Any) -> Any:
            self._depth += 1
            try:
                return await run_cell(*arguments, **keywords)
            finally:
                self._code_ended()
                self._depth -= 1

        def showtraceback(*arguments: Any, **keywords: Any) -> Any:
            # Laying out a traceback takes longer than many a cell.
            if keywords.get("running_compiled_code"):
                self._code_ended()
            return show_traceback(*arguments, **keywords)

        self._replaced = {"run_ast_nodes": run_ast_nodes, "showtraceback": showtraceback}
        vars(shell).update(self._replaced)
        self._shell.events.register("pre_run_cell", self._started)
        self._shell.events.register("post_run_cell", self._ended)

    def unload(self) -> None:
        """Hears of none from now on."""
        self._shell.events.unregister("pre_run_cell", self._started)
        self._shell.events.unregister("post_run_cell", self._ended)
        held = vars(self._shell)
        for name, ours in self._replaced.items():
            # Whoever replaced it after us has ours below.
            if held.get(name) is ours:
                del held[name]

    def parsed(self, words: list[str]) -> dict[str, Any]:
        """The options of a cell, or IPython's error of a line that means nothing."""
        from IPython.core.error import UsageError

        try:
            return cell_options(words)
        except ValueError as error:
            raise UsageError(str(error)) from None

    def begin(self, options: dict[str, Any]) -> None:
        """Measures the innermost cell from here on."""
        if self._frames and self._frames[-1].measurement is None:
            self._frames[-1].depth = self._depth
            self._frames[-1].measurement = Measurement(options)

    def _code_ended(self) -> None:
        frame = self._frames[-1] if self._frames else None
        if frame is not None and frame.measurement is not None and frame.depth == self._depth:
            frame.measurement.close()

    def _started(self, _info: Any) -> None:
        # Cells inside a cell are part of its line.
        self._frames.append(_Frame(self.is_auto and not self._frames))

    def _ended(self, result: Any) -> None:
        if not self._frames:
            return  # the cell that loaded the extension
        frame = self._frames.pop()
        # Without a result it was cancelled while it awaited.
        is_stopped = result is None or not result.success
        if frame.measurement is not None:
            frame.measurement.show(is_stopped)
        frame.end_auto(is_stopped)


def _finish_devices() -> None:
    """Waits for what the cell left to a device; its error is the cell's to find."""
    try:
        if "torch" in sys.modules:
            synchronize()
        jax: Any = sys.modules.get("jax")
        bridge = sys.modules.get("jax._src.xla_bridge")
        if jax is not None and getattr(bridge, "_backends", None):
            jax.block_until_ready(jax.live_arrays())
    except Exception as error:
        if raised_by_handler(error):
            raise
