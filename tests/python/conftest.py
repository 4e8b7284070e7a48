"""Fixtures of the Python face's tests."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

import laptime as lt
from laptime import _core

# A notebook's kernel client says when it is collected, in whichever test that happens to be.
logging.getLogger("traitlets").setLevel(logging.ERROR)

Run = Callable[..., "subprocess.CompletedProcess[str]"]


class Clock:
    """The clock of benchmarks, scripted: it goes on as a test says, and a microsecond a reading."""

    def __init__(self) -> None:
        self._ticks_per_s = 1e18 / _core.ticks_to_ns(10**9)
        self._ticks, self._cpu_s = 0.0, 0.0

    def now(self) -> int:
        self.wait(1e-6)
        return round(self._ticks)

    def cpu_ns(self) -> int:
        return round(self._cpu_s * 1e9)

    @property
    def seconds(self) -> float:
        return self._ticks / self._ticks_per_s

    def wait(self, seconds: float) -> None:
        """Goes on while the process has nothing to do."""
        self._ticks += seconds * self._ticks_per_s

    def work(self, seconds: float) -> None:
        """Goes on while the process works."""
        self.wait(seconds)
        self._cpu_s += seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """What benchmarks measure with, and sleep by, in the place of the real one."""
    from laptime.benchmarks import _calls, _loop, _prepared

    clock = Clock()
    monkeypatch.setattr(_loop, "now", clock.now)
    monkeypatch.setattr(_loop, "process_time_ns", clock.cpu_ns)
    monkeypatch.setattr(_calls, "now", clock.now)
    monkeypatch.setattr(_prepared, "now", clock.now)
    monkeypatch.setattr(_calls, "time", SimpleNamespace(sleep=clock.wait))
    return clock


@pytest.fixture
def run() -> Run:
    """Runs Python code in an interpreter of its own, where nothing is recorded yet.

    Code that imports torch takes `python=warm.python` where Laptime need not be there before.
    """

    def run(
        code: str,
        *arguments: str | Path,
        check: bool = True,
        env: dict[str, str] | None = None,
        python: str | Path = sys.executable,
    ) -> subprocess.CompletedProcess[str]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LAPTIME")}
        environment.update(env or {})
        done = subprocess.run(
            [python, "-c", code, *arguments],
            env=environment,
            capture_output=True,
            text=True,
            timeout=500,
        )
        if check:
            assert done.returncode == 0, done.stderr
        return done

    return run


@pytest.fixture(autouse=True)
def nothing_is_recorded_yet() -> Iterator[None]:
    """What the tests before recorded in memory is forgotten, and no allocation counted for them."""
    lt.reset()
    yield
    # Counting that was begun for a call stays on.
    _core.memory_stop()


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Where a test may record."""
    return tmp_path / "test.lap"
