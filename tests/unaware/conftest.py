"""Deals out programs and ways to the tests, and starts running them ahead.

`--all` takes every program under every way; the default is the fixed subset of `harness/ways.py`.
With `--gpu` programs use a fake device of CUDA, under Laptime and alone.
"""

from __future__ import annotations

import os
import resource
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

HERE = Path(__file__).parent
sys.path.append(str(HERE))
sys.path.append(str(HERE.parent / "fakes"))

from harness.ahead import Ahead, Run
from harness.programs import Program, programs
from harness.running import DRIVER
from harness.ways import Way, all_ways, subset
from installed import install

collect_ignore = ["programs", "seen", "gpu"]
# Of a machine's ceilings, which `--ops` measures once.
CACHE = HERE.parent.parent / ".build" / "unaware"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--gpu", action="store_true", default=False, help="programs use a fake device of CUDA"
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if not {"program", "way"} <= set(metafunc.fixturenames):
        return
    if metafunc.config.getoption("--all"):
        cases = [(program, way) for program in programs() for way in all_ways(program)]
    else:
        cases = list(subset(programs()))
    metafunc.parametrize(
        ("program", "way"),
        [
            pytest.param(
                program,
                way,
                id=f"{program}[{way}]",
                marks=pytest.mark.skipif(bool(why := program.why_not_here()), reason=why or ""),
            )
            for program, way in cases
        ],
    )


@pytest.fixture(scope="session")
def ahead(request: pytest.FixtureRequest) -> Iterator[Ahead]:
    """Runs what the selected tests will ask for."""
    # A program that aborts leaves no core in the folder that is compared.
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if request.config.getoption("--gpu", default=False):
        folder = request.getfixturevalue("tmp_path_factory").mktemp("driver")
        os.environ[DRIVER] = str(install(folder, "laptime-fake-cuda"))
    CACHE.mkdir(parents=True, exist_ok=True)
    wanted: list[Run] = []
    for item in request.session.items:
        given = getattr(getattr(item, "callspec", None), "params", {})
        program, way = given.get("program"), given.get("way")
        if isinstance(program, Program) and isinstance(way, Way) and not program.why_not_here():
            wanted += [Run(program, None), Run(program, way)]
            if request.config.getoption("--all"):
                wanted.append(Run(program, None, turn=1))
    began = time.monotonic()
    ahead = Ahead(wanted, CACHE)
    yield ahead
    ahead.close()
    names = {run.program for run in wanted}
    count = sum(run.way is not None for run in set(wanted))
    took = time.monotonic() - began
    said = f"unaware: {len(names)} programs, {count} comparisons in {took:.0f} s"
    reporter = request.config.pluginmanager.get_plugin("terminalreporter")
    if reporter is not None:
        reporter.ensure_newline()
        reporter.write_line(said)
