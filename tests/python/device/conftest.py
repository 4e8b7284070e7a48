"""Every test here has a device that is a fake."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import laptime as lt
from laptime import _device_memory

sys.path.insert(0, str(Path(__file__).parent))

import fake_allocator
from fake_cuda import FakeCuda, fake_torch


@pytest.fixture(params=["nested", "plain"])
def cuda(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> FakeCuda:
    fake = FakeCuda(nested=request.param == "nested")
    monkeypatch.setitem(sys.modules, "torch", fake_torch(fake))
    return fake


@pytest.fixture
def records() -> Iterator[list[lt.Record]]:
    """Recordings that end with the test."""
    records: list[lt.Record] = []
    yield records
    for record in records:
        record.stop()
    lt.reset()


@pytest.fixture
def started(
    records: list[lt.Record], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Callable[..., Any]:
    """Begins a recording with a fake PyTorch: its allocators, and itself."""

    def start(
        mode: Any = "fold", count: int = 1, initialized: bool = True
    ) -> tuple[fake_allocator.Allocators, Any]:
        allocators = fake_allocator.Allocators(count)
        torch = fake_allocator.fake_torch(allocators, initialized=initialized)
        monkeypatch.setitem(sys.modules, "torch", torch)
        lt.reset()
        path = tmp_path / "run.lap"
        records.append(lt.record(path, memory=True, device_memory=mode, force=True))
        return allocators, torch

    return start


@pytest.fixture
def stopped(records: list[lt.Record]) -> Callable[[], None]:
    """Ends the recording."""
    return lambda: records[-1].stop()


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the recording is told at its end, which a process tells but once."""
    notes: list[str] = []
    monkeypatch.setattr(_device_memory, "note", lambda code, message: notes.append(message))
    return notes


@pytest.fixture
def said() -> Callable[..., str]:
    """Runs a script that finds the fakes: what it prints."""
    return _said


def _said(
    script: str, *arguments: str, python: str | Path = sys.executable, **environment: str
) -> str:
    done = subprocess.run(
        [python, "-c", script, *arguments],
        env={**os.environ, **environment},
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
