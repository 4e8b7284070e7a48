"""The pytest plug-in: benchmarks in tests, held against those of an earlier run.

    def test_tokenize(lap):
        lap(tokenize, text)             # measures the call, as lt.bench does
        with lap("decode"):             # a lap of this name
            ...

`pytest --laptime-save main` keeps what was measured in `.laptime/benchmarks/main.json`, and
`pytest --laptime-compare main` fails each test of which a benchmark is slower than there.

It is loaded where it is asked for, by `pytest_plugins = ["laptime.integrations.pytest"]` in the
project's `conftest.py`: an environment that merely has Laptime runs its tests as without.

What a test measured travels in its reports, so that the workers of pytest-xdist tell it to the
process that prints the summary and writes the file. How it is judged is in `_pytest_verdicts.py`.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ._pytest_verdicts import Asked, Baseline, asked_by

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

#: Where the benchmarks that a name stands for are kept, beside the project.
FOLDER = Path(".laptime", "benchmarks")

#: What this run measured, in the process that prints the summary.
_COLLECTED = pytest.StashKey["_Collected"]()
#: What it is held against.
_BASE = pytest.StashKey[Baseline]()
#: What a test measured since its last report.
_OF_TEST = pytest.StashKey[list[dict[str, Any]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--laptime-save` and `--laptime-compare`."""
    group = parser.getgroup("laptime")
    group.addoption(
        "--laptime-save",
        metavar="NAME",
        help="keep what the lap fixture measures under this name; benchmarks that don't run this "
        "time keep their values",
    )
    group.addoption(
        "--laptime-compare",
        metavar="NAME",
        help="fail tests whose benchmarks are slower than those kept under this name, or those in "
        "a JSON file of Laptime's or of pytest-benchmark",
    )


def pytest_configure(config: pytest.Config) -> None:
    """The marker; and the files, so that a run with an unreadable one doesn't start."""
    config.addinivalue_line(
        "markers",
        "laptime(threshold=0.05, budget=2.0): by which part the test's benchmarks may be slower "
        "than the baseline, and how many seconds each takes at most",
    )
    collected = config.stash[_COLLECTED] = _Collected()
    config.pluginmanager.register(collected, "laptime-collected")
    compared, saved = _option(config, "compare"), _option(config, "save")
    if compared:
        from ..benchmarks._saved import read

        path = _path(config, compared)
        try:
            config.stash[_BASE] = Baseline(compared, read(path))
        except FileNotFoundError as error:
            raise pytest.UsageError(
                f"--laptime-compare {compared}: {error}. --laptime-save {compared} writes one."
            ) from None
        except (OSError, ValueError) as error:
            raise pytest.UsageError(
                f"--laptime-compare {compared}: {error}. To begin anew, delete {path} and run "
                f"pytest --laptime-save {compared} where the code is as fast as it should be."
            ) from None
    if saved:
        from ..benchmarks._saved import own

        path = _path(config, saved)
        try:
            own(path)
        except FileNotFoundError:
            pass
        except (OSError, ValueError) as error:
            raise pytest.UsageError(
                f"--laptime-save {saved}: {error}. What is measured is added to the file, so it "
                f"must be readable. Delete {path} to begin anew, or save under another name."
            ) from None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Puts what a test measured into its report."""
    made = yield
    if measured := item.stash.get(_OF_TEST, None):
        # Lists, dicts, text and numbers only: xdist sends attributes of reports between processes.
        vars(made.get_result())["laptime"] = list(measured)
        measured.clear()


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keeps what was measured."""
    config = session.config
    name = _option(config, "save")
    collected = config.stash[_COLLECTED]
    if not (name and collected.benchmarks) or hasattr(config, "workerinput"):
        return
    from ..benchmarks._saved import merge

    path = _path(config, name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        merge(path, [one["benchmark"] for one in collected.benchmarks])
    except (OSError, ValueError) as error:
        collected.not_saved = f"Not saved under {name}: {error}"
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The medians of what was measured, and what could not be compared with the baseline."""
    collected = config.stash[_COLLECTED]
    if not collected.benchmarks:
        return
    terminalreporter.section("laptime")
    for one in collected.benchmarks:
        terminalreporter.write_line(one["said"])
    if unclear := [one["unclear"] for one in collected.benchmarks if one["unclear"]]:
        terminalreporter.write_line("")
        terminalreporter.write_line(
            f"No verdict on {len(unclear)} of {len(collected.benchmarks)} benchmarks:", yellow=True
        )
        for said in unclear:
            terminalreporter.write_line(said, yellow=True)
    if collected.not_saved:
        terminalreporter.write_line("")
        terminalreporter.write_line(collected.not_saved, red=True)


class _Collected:
    """What the tests' reports tell, those of other processes included."""

    def __init__(self) -> None:
        self.benchmarks: list[dict[str, Any]] = []
        #: Why the file could not be written.
        self.not_saved: str | None = None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.benchmarks += getattr(report, "laptime", ())


class LapFixture:
    """`lap(fn, *args, **kwargs)` measures a call; `with lap("name"):` is a lap."""

    def __init__(self, request: pytest.FixtureRequest, asked: Asked) -> None:
        self._node = request.node
        self._base = request.config.stash.get(_BASE, None)
        self._asked = asked
        self._count = 0

    def __call__(self, fn: str | Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """A lap of this name, or the benchmark of a call."""
        if isinstance(fn, str):
            from .._core import lap as named

            return named(fn, *args, **kwargs)
        from ..benchmarks._saved import benchmark_of

        found = self._asked.bench(fn, *args, **kwargs)
        self._count += 1
        test = self._node.nodeid
        name = test if self._count == 1 else f"{test}#{self._count}"
        slower, unclear = None, None
        if self._base is not None:
            slower, unclear = self._base.hold(name, found.samples, self._asked)
        told = {
            "benchmark": {**benchmark_of(found), "name": name},
            "said": f"{name}: {found}",
            "unclear": unclear,
        }
        self._node.stash.setdefault(_OF_TEST, []).append(told)
        if slower:
            pytest.fail(slower, pytrace=False)
        return found


@pytest.fixture
def lap(request: pytest.FixtureRequest) -> LapFixture:
    """Measures calls, and holds them against the baseline of `--laptime-compare`."""
    try:
        asked = asked_by(request.node.get_closest_marker("laptime"))
    except ValueError as error:
        pytest.fail(f"{request.node.nodeid}: {error}", pytrace=False)
    return LapFixture(request, asked)


def _option(config: pytest.Config, which: str) -> str | None:
    told: str | None = config.getoption(f"--laptime-{which}", None)
    return told


def _path(config: pytest.Config, name: str) -> Path:
    """A file that is named as such, or the one that a name stands for."""
    if name.endswith(".json"):
        return config.invocation_params.dir / name
    return config.rootpath / FOLDER / f"{name}.json"
