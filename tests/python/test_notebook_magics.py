"""`%laptime`, `%%laptime` and `%laptime auto`, in notebooks that a kernel runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import laptime as lt
from laptime.integrations._cells import CellRecord

nbformat = pytest.importorskip("nbformat")
NotebookClient = pytest.importorskip("nbclient").NotebookClient

if TYPE_CHECKING:
    from collections.abc import Callable

Outputs = list[list[dict[str, Any]]]

LINE = re.compile(
    r"[\d.]+ (ns|µs|ms|s) \(95 %: [\d.]+ to [\d.]+, ([\d,]+ samples? of )?[\d,]+ runs? "
    r"(after [\d,]+ of|without) warm-up\)\n"
)


def executed(folder: Path, *cells: str, times: int = 1) -> Outputs:
    """What the cells gave when they ran for the last time; an error ends nothing."""
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    client = NotebookClient(
        notebook, resources={"metadata": {"path": str(folder)}}, allow_errors=True, timeout=120
    )
    with client.setup_kernel():
        for _again in range(times):
            for index, cell in enumerate(notebook.cells):
                client.execute_cell(cell, index)
    return [cell.outputs for cell in notebook.cells]


def text(outputs: list[dict[str, Any]]) -> str:
    return "".join(output.get("text", "") for output in outputs)


def html(outputs: list[dict[str, Any]]) -> str:
    return "".join(output.get("data", {}).get("text/html", "") for output in outputs)


def errors(outputs: list[dict[str, Any]]) -> list[str]:
    return [output["ename"] for output in outputs if output["output_type"] == "error"]


LOAD = "%load_ext laptime"


@pytest.fixture(scope="module")
def expressions(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[dict[str, Any]]]:
    cells = {
        "load": LOAD,
        "names": "import gc, time\ndata = list(range(1000))\nseen = []",
        "sum": "%laptime --budget 0.2 sum(data)",
        "object": "found = %laptime -o --budget 0.2 sum(data)\n"
        "low, high = found.ci\n"
        "print(low <= found.median_ns <= high, len(found.samples), found.iterations > 1,"
        " found.warmup, found.ending, isinstance(found.warnings, list))\nfound",
        "collector": "gc.disable()\n%laptime --budget 0.05 seen.append(gc.isenabled())\n"
        "print(set(seen))\ngc.enable(); seen.clear()\n"
        "%laptime --budget 0.05 seen.append(gc.isenabled())\nprint(set(seen))",
        "closure": "%laptime --budget 0.05 [item for item in data if item in (1, len(data))]",
        "statement": "%laptime --budget 0.05 total = 0; total += 1",
        "waits": "%laptime --budget 0.3 time.sleep(0.002)",
        "lazy": "%laptime --budget 0.05 (item for item in data)",
        "raises": "%laptime 1 / 0",
        "returns": "%laptime return 3",
        "awaits": "%laptime await asyncio.sleep(0)",
        "nothing": "%laptime",
        "option": "%laptime --bugdet 3 1 + 1",
        "budget": "%laptime --budget none 1 + 1",
    }
    outputs = dict(zip(cells, executed(tmp_path_factory.mktemp("e"), *cells.values()), strict=True))
    return outputs.__getitem__


def test_an_expression_is_told_in_one_line(expressions: Any) -> None:
    assert errors(expressions("load")) == []
    assert LINE.match(text(expressions("sum"))), text(expressions("sum"))


def test_the_object_has_the_figures(expressions: Any) -> None:
    said = text(expressions("object"))
    assert LINE.match(said)
    assert re.search(r"^True \d+ True \d+ (precision|budget) True$", said, re.M), said
    (shown,) = [output for output in expressions("object") if "data" in output]
    assert LINE.match(shown["data"]["text/plain"] + "\n" * 2)


def test_the_garbage_collector_stays_as_it_is(expressions: Any) -> None:
    said = text(expressions("collector"))
    assert re.findall(r"^\{.*\}$", said, re.M) == ["{False}", "{True}"]


def test_comprehensions_and_statements_see_the_users_names(expressions: Any) -> None:
    for cell in ("closure", "statement"):
        assert errors(expressions(cell)) == []
        assert LINE.match(text(expressions(cell)))


def test_waiting_and_laziness_are_doubts(expressions: Any) -> None:
    assert "% of wall time: the code waited" in text(expressions("waits"))
    assert "It returned a generator, which hasn't run" in text(expressions("lazy"))


def test_an_expression_that_raises_raises_the_users_error(expressions: Any) -> None:
    assert errors(expressions("raises")) == ["ZeroDivisionError"]
    (raised,) = expressions("raises")
    assert "laptime/integrations" not in "\n".join(raised["traceback"])
    assert errors(expressions("returns")) == ["SyntaxError"]
    assert "a cell that begins with %%laptime" in text(expressions("awaits"))


def test_wrong_usage_is_told(expressions: Any) -> None:
    def said(cell: str) -> str:
        (output,) = expressions(cell)
        return str(output.get("text", "")) + str(output.get("evalue", ""))

    assert "%laptime [-o] [--budget SECONDS] EXPRESSION" in said("nothing")
    assert "--bugdet is not an option of %laptime" in said("option")
    assert "--budget takes seconds above 0" in said("budget")


@pytest.fixture(scope="module")
def cells(
    tmp_path_factory: pytest.TempPathFactory,
) -> Callable[[str], list[dict[str, Any]]]:
    """Each cell's outputs when it ran for the second time."""
    cells = {
        "load": LOAD,
        "names": "import laptime as lt, asyncio\nlt.reset()",
        "plain": "%%laptime\nvalue = 6 * 7\nvalue",
        "laps": "%%laptime fit\nfor _ in range(3):\n    with lt.lap('load'):\n        pass\n"
        "lt.mark('here'); lt.metric('loss', 0.5)",
        "raises": "%%laptime broken\nwith lt.lap('inside'):\n    1 / 0",
        "interrupted": "%%laptime\nimport os, signal\nwith lt.lap('inside'):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n    while True: pass",
        "cancelled": "%%laptime\nloop = asyncio.get_running_loop()\n"
        "loop.call_soon(os.kill, os.getpid(), signal.SIGINT)\n"
        "with lt.lap('inside'):\n    await asyncio.Event().wait()",
        "awaits": "%%laptime later\nwith lt.lap('inside'):\n    await asyncio.sleep(0)\n'awaited'",
        "awaits_raises": "%%laptime later\nwith lt.lap('inside'):\n"
        "    await asyncio.sleep(0)\n    1 / 0",
        "memory": "%%laptime --memory\nblock = bytes(10_000_000)",
        "kept": "%%laptime kept -o kept.lap --force\nwith lt.lap('inside'): pass",
        "sampled": "%%laptime --stacks\nimport time\ndef spin(end):\n"
        "    while time.perf_counter() < end: pass\nspin(time.perf_counter() + 0.7)",
        "counted": "%%laptime --calls\nspin(time.perf_counter() + 0.1)",
        "recorded": "with lt.record('own.lap', force=True):\n"
        "    get_ipython().run_cell_magic('laptime', 'mine', 'with lt.lap(\"x\"): pass')",
        "nested": "%%capture captured\n%%laptime under\nwith lt.lap('inside'): pass",
        "captured": "print(captured.stdout)",
        "option": "%%laptime --memry\nprint('not run')",
        "help": "%%laptime --help\nprint('not run')",
        "open": "print('fit' in lt.report(), 'fit/load' in lt.report())",
        "order": "print(lt.report().warnings)",
        "outer": "with lt.lap('outermost'): pass\n"
        "print([path for path in lt.report() if 'outermost' in path])",
    }
    folder = tmp_path_factory.mktemp("cells")
    outputs = dict(zip(cells, executed(folder, *cells.values(), times=2), strict=True))
    outputs["folder"] = folder  # type: ignore[assignment]
    return outputs.__getitem__


def test_a_cell_keeps_its_last_value_and_gets_its_time(cells: Any) -> None:
    outputs = cells("plain")
    assert [output["data"]["text/plain"] for output in outputs if "data" in output] == ["42"]
    assert re.fullmatch(r"[\d.]+ (ns|µs|ms|s)\n", text(outputs))


def test_laps_inside_are_a_table_of_this_cell_alone(cells: Any) -> None:
    assert re.match(r"fit: [\d.]+ (µs|ms|s)\n", text(cells("laps")))
    table = html(cells("laps"))
    assert "load" in table
    assert "broken" not in table
    # The second time's three, not six.
    assert ">3<" in table
    assert ">6<" not in table


def test_functions_that_are_asked_for_stand_below_the_line(cells: Any) -> None:
    for cell in ("sampled", "counted"):
        assert re.match(r"[\d.]+ (ms|s)\n", text(cells(cell)))
        # The cell by its number, not by the file that IPython makes of it.
        assert re.search(r"spin In\[\d+\]:", html(cells(cell)))


def test_a_cell_that_raises_has_its_own_traceback_and_closed_laps(cells: Any) -> None:
    outputs = cells("raises")
    (error,) = [output for output in outputs if output["output_type"] == "error"]
    assert error["ename"] == "ZeroDivisionError"
    traceback = re.sub(r"\x1b\[[\d;]*m", "", "\n".join(error["traceback"]))
    assert "laptime/integrations" not in traceback
    assert re.search(r"-+> 3 +1 / 0", traceback), traceback
    assert text(outputs).startswith("broken: stopped after ")
    assert "inside" in html(outputs)


def test_an_interrupted_cell_says_so(cells: Any) -> None:
    assert errors(cells("interrupted")) == ["KeyboardInterrupt"]
    assert text(cells("interrupted")).startswith("stopped after ")
    assert len(errors(cells("cancelled"))) == 1
    assert text(cells("cancelled")).startswith("stopped after ")


def test_a_cell_may_await(cells: Any) -> None:
    outputs = cells("awaits")
    assert errors(outputs) == []
    assert re.match(r"later: [\d.]+ (µs|ms|s)\n", text(outputs))
    assert "inside" in html(outputs)
    # Its own lap has ended too: it isn't cut off.
    assert "0 +1" not in html(outputs)
    assert "'awaited'" in [output.get("data", {}).get("text/plain") for output in outputs]
    assert text(cells("awaits_raises")).startswith("later: stopped after ")


def test_memory_is_told_when_it_is_counted(cells: Any) -> None:
    assert "peak host memory 9.54 MiB" in text(cells("memory"))


def test_a_recording_is_kept_where_it_is_asked_for(cells: Any) -> None:
    assert re.search(r"laptime report .*kept.lap", text(cells("kept")))
    assert "kept/inside" in lt.open(cells("folder") / "kept.lap").report()


def test_who_records_a_cell_again_is_told_the_option(tmp_path: Path, caplog: Any) -> None:
    for _again in range(2):
        CellRecord(tmp_path / "taken.lap").stop()
    assert caplog.messages[0].endswith("taken-1.lap; --force replaces it")


def test_a_cell_under_a_recording_is_part_of_it(cells: Any) -> None:
    assert "which was being recorded" in text(cells("recorded"))
    assert "mine/x" in lt.open(cells("folder") / "own.lap").report()


def test_other_magics_go_around_it(cells: Any) -> None:
    assert cells("nested") == []
    assert re.search(r"under: [\d.]+", text(cells("captured")))


def test_a_mistyped_option_runs_nothing(cells: Any) -> None:
    for cell in ("option", "help"):
        said = str(cells(cell))
        assert "not run" not in text(cells(cell))
        assert "--memory" in said


def test_no_lap_stays_open_and_the_programs_own_report_goes_on(cells: Any) -> None:
    assert text(cells("open")) == "True True\n"
    assert "out of order" not in text(cells("order"))
    assert text(cells("outer")) == "['outermost']\n"


def test_auto_tells_of_long_cells_only(tmp_path: Path) -> None:
    outputs = executed(
        tmp_path,
        LOAD,
        # A cell is long when it takes no time at all: no test sleeps.
        "from laptime.integrations import _cells\n_cells.LEAST_SECONDS = 0\n%laptime auto on",
        "block = bytes(1000)",
        "1 / 0",
        "get_ipython().run_cell('1')",
        "_cells.LEAST_SECONDS = 1e9",
        "2",
        "_cells.LEAST_SECONDS = 0",
        "%load_ext autoreload\n%autoreload 2",
        "%laptime auto off",
        "3",
        "%unload_ext laptime\n"
        "print([name for name in get_ipython().magics_manager.magics['line'] if 'laptime' in name],"
        " [name for name in ('run_ast_nodes', 'showtraceback') if name in vars(get_ipython())])",
        "%laptime 1",
    )
    line = r"0\.\d s, finished \d\d:\d\d:\d\d, peak resident memory [\d.]+ [MG]iB\n"
    assert re.fullmatch(line, text(outputs[2]))
    assert errors(outputs[3]) == ["ZeroDivisionError"]
    assert re.fullmatch(line.replace("finished", "stopped"), text(outputs[3]))
    assert len(re.findall(line, text(outputs[4]))) == 1
    assert text(outputs[6]) == ""
    assert re.fullmatch(line, text(outputs[8]))
    assert text(outputs[10]) == ""
    assert text(outputs[11]) == "[] []\n"
    assert "not found" in str(outputs[12])


def test_a_terminal_waits_for_the_rest_of_the_cell() -> None:
    from IPython.core.inputtransformer2 import TransformerManager

    from laptime.integrations.ipython import replace_first_line

    manager = TransformerManager()
    manager.cleanup_transforms.append(replace_first_line)
    assert manager.check_complete("%%laptime fit") == ("incomplete", 0)
    assert manager.check_complete("%%laptime fit\n1\n\n")[0] == "complete"
    assert "run_cell_magic('laptime', 'fit', '# " in manager.transform_cell("\n%%laptime fit\n1")
    for other in ("%%laptimes\n1", "%%laptime?", "x = 1\n%%laptime\n", "%laptime 1"):
        lines = other.splitlines(keepends=True)
        assert replace_first_line(lines) == lines


def test_results_of_jax_are_waited_for(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    outputs = executed(
        tmp_path,
        LOAD,
        "import jax, jax.numpy as jnp\nx = jnp.ones((600, 600))\n"
        "from laptime.device.wait import holds_jax\n"
        "print(holds_jax({'a': [x]}), holds_jax([1]))",
        "waited = []\nblock = jax.block_until_ready\n"
        "jax.block_until_ready = lambda value: waited.append(1) or block(value)\n"
        "found = %laptime -o --budget 0.3 x @ x\nprint(len(waited) >= len(found.samples))",
        "waited.clear()\n%laptime --budget 0.1 [1]\nprint(len(waited))",
    )
    assert text(outputs[1]) == "True False\n"
    assert text(outputs[2]).endswith("True\n")
    # Once, to learn that there is nothing to wait for.
    assert text(outputs[3]).endswith("\n1\n")


def test_a_report_is_named_after_the_notebook_in_an_editor(tmp_path: Path) -> None:
    outputs = executed(
        tmp_path,
        "import laptime as lt\nprint(lt.report().program)",
        "__vsc_ipynb_file__ = '/home/me/first steps.ipynb'\nprint(lt.report().program)\n"
        "with lt.record('run.lap'): pass\nprint(lt.open('run.lap').report().program)",
        "__vsc_ipynb_file__ = 3\nprint(lt.report().program)",
    )
    assert text(outputs[1]) == "first steps.ipynb\nfirst steps.ipynb\n"
    assert text(outputs[2]) == text(outputs[0])


def test_a_torchtimer_is_a_table(tmp_path: Path) -> None:
    outputs = executed(
        tmp_path,
        "from laptime.torchtimer import ProfilingTimer\ntimer = ProfilingTimer(name='mine')",
        "timer",
        "timer.start('part'); timer.stop('part')\n"
        "timer.start('b', 'other'); timer.stop('b', 'other')\ntimer",
        "timer.disable()\ntimer",
    )
    assert html(outputs[1]) == html(outputs[3]) == ""
    shown = html(outputs[2])
    assert shown.count("<table") == 2
    assert "part" in shown
    plain = [output["data"]["text/plain"] for output in outputs[2] if "data" in output]
    assert plain[0].startswith("###### mine::main: (total runtime ")


def test_laptime_imports_no_ipython(tmp_path: Path) -> None:
    code = "import laptime, sys; print('IPython' in sys.modules, laptime.load_ipython_extension)"
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert ran.stdout.startswith("False <function load_ipython_extension")


def test_the_page_about_notebooks_shows_cells_that_run(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs/tasks/notebook.md").read_text()
    (prelude,) = re.findall(r"<!-- python\n(.*?)\n-->", page, re.DOTALL)
    shown = re.findall(r"^```ipython\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert len(shown) >= 4
    for outputs in executed(tmp_path, prelude, *shown):
        assert errors(outputs) == []
        assert "UsageError" not in text(outputs)
