"""Every test here has a device that is a fake."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from fake_cuda import FakeCuda, fake_torch


@pytest.fixture(params=["nested", "plain"])
def cuda(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> FakeCuda:
    fake = FakeCuda(nested=request.param == "nested")
    monkeypatch.setitem(sys.modules, "torch", fake_torch(fake))
    return fake
