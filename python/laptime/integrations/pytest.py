"""The pytest plug-in: benchmarks in tests, held against those of an earlier run.

    def test_tokenize(lap):
        lap(tokenize, text)             # measures the call, as lt.bench does
        with lap("decode"):             # a lap of this name
            ...

`pytest --laptime-save main` keeps what was measured in `.laptime/benchmarks/main.json`, and
`pytest --laptime-compare main` fails each test of which a benchmark is slower than there.

It is loaded where it is asked for, by `pytest_plugins = ["laptime.integrations.pytest"]` in the
project's `conftest.py`: an environment that merely has Laptime runs its tests as without.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

#: Where the benchmarks that a name stands for are kept, beside the project.
FOLDER = Path(".laptime", "benchmarks")
#: Smallest difference that fails a test, unless its marker says otherwise.
THRESHOLD = 0.05

#: What this run measured, as objects of JSON.
_MEASURED = pytest.StashKey[list[dict[str, Any]]]()
#: What it is held against: samples by name.
_BASE = pytest.StashKey[dict[str, list[float]]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--laptime-save` and `--laptime-compare`."""
    group = parser.getgroup("laptime")
    group.addoption(
        "--laptime-save", metavar="NAME", help="keep what the lap fixture measures under this name"
    )
    group.addoption(
        "--laptime-compare",
        metavar="NAME",
        help="fail tests whose benchmarks are slower than those kept under this name, or those in "
        "a JSON file of Laptime's or of pytest-benchmark",
    )


def pytest_configure(config: pytest.Config) -> None:
    """The marker; and the baseline, so that a run with an unreadable one doesn't start."""
    config.addinivalue_line(
        "markers",
        "laptime(threshold=0.05, budget=2.0): by which part the test's benchmarks may be slower "
        "than the baseline, and how many seconds each takes at most",
    )
    name = config.getoption("--laptime-compare", None)
    if name:
        from ..benchmarks._saved import read

        path = _path(config, name)
        try:
            config.stash[_BASE] = read(path)
        except (OSError, ValueError) as error:
            raise pytest.UsageError(
                f"--laptime-compare {name}: {error}. --laptime-save {name} writes one."
            ) from None


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Keeps what was measured."""
    config = session.config
    name = config.getoption("--laptime-save", None)
    measured = config.stash.get(_MEASURED, [])
    if name and measured:
        from ..benchmarks._saved import write

        path = _path(config, name)
        path.parent.mkdir(parents=True, exist_ok=True)
        write(path, measured)


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """The medians of what was measured."""
    measured = config.stash.get(_MEASURED, [])
    if measured:
        terminalreporter.section("laptime")
        for one in measured:
            terminalreporter.write_line(one["said"])


class LapFixture:
    """`lap(fn, *args, **kwargs)` measures a call; `with lap("name"):` is a lap."""

    def __init__(self, request: pytest.FixtureRequest) -> None:
        self._config = request.config
        self._test = request.node.nodeid
        marker = request.node.get_closest_marker("laptime")
        told = dict(marker.kwargs) if marker else {}
        self._threshold = float(told.pop("threshold", THRESHOLD))
        self._options = told
        self._count = 0

    def __call__(self, fn: str | Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """A lap of this name, or the benchmark of a call."""
        if isinstance(fn, str):
            from .._core import lap as named

            return named(fn, *args, **kwargs)
        from ..benchmarks import bench
        from ..benchmarks._saved import benchmark_of

        found = bench.options(**self._options)(fn, *args, **kwargs)
        self._count += 1
        name = self._test if self._count == 1 else f"{self._test}#{self._count}"
        kept = {**benchmark_of(found), "name": name, "said": f"{name}: {found!r}"}
        self._config.stash.setdefault(_MEASURED, []).append(kept)
        self._hold(name, found.samples)
        return found

    def _hold(self, name: str, samples: list[float]) -> None:
        """Fails the test where the benchmark is slower than the baseline's."""
        base = self._config.stash.get(_BASE, {}).get(name)
        if base is None:
            return
        from .._core import judge_samples

        judged = judge_samples(("the baseline", base), (name, samples), self._threshold)
        if judged.verdict == "slower":
            pytest.fail(f"{judged.sentence} {judged.reason}", pytrace=False)


@pytest.fixture
def lap(request: pytest.FixtureRequest) -> LapFixture:
    """Measures calls, and holds them against the baseline of `--laptime-compare`."""
    return LapFixture(request)


def _path(config: pytest.Config, name: str) -> Path:
    """A file that is named as such, or the one that a name stands for."""
    if name.endswith(".json"):
        return config.invocation_params.dir / name
    return config.rootpath / FOLDER / f"{name}.json"
