"""Fixtures of the Python face's tests."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def run() -> Run:
    """Runs Python code in an interpreter of its own, where nothing is recorded yet."""

    def run(
        code: str, *arguments: str | Path, check: bool = True, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[str]:
        environment = {k: v for k, v in os.environ.items() if not k.startswith("LAPTIME")}
        environment.update(env or {})
        done = subprocess.run(
            [sys.executable, "-c", code, *arguments],
            env=environment,
            capture_output=True,
            text=True,
            timeout=500,
        )
        if check:
            assert done.returncode == 0, done.stderr
        return done

    return run


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Where a test may record."""
    return tmp_path / "test.lap"
