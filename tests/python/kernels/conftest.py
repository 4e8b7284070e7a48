"""Tests of steps that are profiled, with real torch and with scripted events of its profiler."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from profiled_trainings import RECORDED, TRAIN, Ran, summary_of
from warm import Warm


@pytest.fixture
def recorded(tmp_path: Path, warm: Warm) -> Ran:
    """The summary of a program that recorded itself and ended well, and what it printed."""

    def recorded(program: str, kernels: str, printed: str = "") -> dict[str, Any]:
        source = RECORDED.format(program=program, kernels=kernels)
        command = [warm.python, "-c", source]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert (ran.returncode, ran.stdout) == (0, printed), ran.stderr
        assert "terminate" not in ran.stderr
        return summary_of(tmp_path / "a.lap")

    return recorded


@pytest.fixture
def run(recorded: Ran) -> Ran:
    """The summary of a training of 8 steps, which has ended well."""

    def run(kernels: str, before: str = "", inside: str = "pass") -> dict[str, Any]:
        return recorded(TRAIN.format(before=before, inside=inside), kernels, "done 7")

    return run
