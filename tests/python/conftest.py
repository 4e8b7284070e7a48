"""Fixtures of the Python face's tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import laptime as lt
from laptime import _core

Run = Callable[..., "subprocess.CompletedProcess[str]"]


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
