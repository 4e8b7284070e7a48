"""Deals out programs and ways to the tests.

`--all` takes every program under every way; the default is the fixed subset of `harness/ways.py`.
With `--gpu` programs use a fake device of CUDA, under Laptime and alone.
"""

from __future__ import annotations

import os
import resource
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.append(str(HERE))
sys.path.append(str(HERE.parent / "fakes"))

from harness.ceilings import know_ceilings
from harness.comparison import Comparison
from harness.programs import Program, programs
from harness.running import DRIVER
from harness.store import Store
from harness.ways import all_ways, subset
from installed import install

collect_ignore = ["programs", "seen", "gpu"]
FOLDER = HERE.parent.parent / ".build" / "unaware"
CACHE = FOLDER / "cache"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--gpu", action="store_true", default=False, help="programs use a fake device of CUDA"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if not {"program", "way"} <= set(metafunc.fixturenames):
        return
    takes_all = bool(metafunc.config.getoption("--all"))
    if takes_all:
        cases = [(program, way) for program in programs() for way in all_ways(program)]
    else:
        cases = list(subset(programs()))
    metafunc.parametrize(
        ("program", "way"),
        [
            pytest.param(program, way, id=f"{program}[{way}]", marks=_marks(program, takes_all))
            for program, way in cases
        ],
    )


def _marks(program: Program, is_grouped: bool) -> list[pytest.MarkDecorator]:
    why = program.why_not_here()
    marks = [pytest.mark.skipif(bool(why), reason=why or "")]
    # With `--dist loadgroup` one process has all cases of a program, and runs it alone for them.
    return [*marks, pytest.mark.xdist_group(str(program))] if is_grouped else marks


@pytest.fixture(scope="session", autouse=True)
def _no_cores() -> None:
    """A program that aborts leaves no core in the folder that is compared."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


@pytest.fixture(scope="session")
def comparison(request: pytest.FixtureRequest) -> Comparison:
    """Compares, with what earlier sessions know of programs alone; not if all are to be run."""
    if request.config.getoption("--gpu"):
        folder = request.getfixturevalue("tmp_path_factory").mktemp("driver")
        os.environ[DRIVER] = str(install(folder, "laptime-fake-cuda"))
    know_ceilings(CACHE)
    store = Store(FOLDER / "alone")
    store.prune()
    return Comparison(CACHE, store, afresh=bool(request.config.getoption("--all")))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Says how much was compared, in however many processes."""
    reports = [
        dict(report.user_properties)
        for outcome in ("passed", "failed")
        for report in terminalreporter.getreports(outcome)
        if report.when == "call"
    ]
    alone = {said["program"]: said["alone"] for said in reports if "program" in said}
    if alone:
        comparisons = sum("program" in said for said in reports)
        stored = list(alone.values()).count("stored")
        terminalreporter.write_line(
            f"unaware: {len(alone)} programs, {comparisons} comparisons; alone, {stored} of the "
            f"programs ran in an earlier session"
        )
