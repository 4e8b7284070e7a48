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

sys.path.insert(0, str(Path(__file__).parent))

import fake_allocator
from fake_cuda import FakeCuda, fake_torch


@pytest.fixture(params=["nested", "plain"])
def cuda(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> FakeCuda:
    fake = FakeCuda(nested=request.param == "nested")
    monkeypatch.setitem(sys.modules, "torch", fake_torch(fake))
    return fake


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Any]]:
    """Begins a recording with a fake PyTorch: its allocators, and itself."""
    records: list[lt.Record] = []

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

    yield start
    for record in records:
        record.stop()
    lt.reset()


@pytest.fixture
def said() -> Callable[..., str]:
    """Runs a script that finds the fakes: what it prints."""
    return _said


def _said(script: str, *arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", script, *arguments],
        env={**os.environ, **environment},
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()
