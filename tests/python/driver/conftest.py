"""A fake driver of CUDA for programs that have no device."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "fakes"))

from installed import install


@pytest.fixture(scope="session")
def fake_driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a driver with a virtual clock, for `LD_LIBRARY_PATH`."""
    return install(tmp_path_factory.mktemp("driver"), "laptime-fake-cuda")
