"""Fake libraries of NVIDIA's for programs that have no device."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "fakes"))

from installed import install


@pytest.fixture(scope="session")
def fake_libraries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a driver and of its management library, for `LD_LIBRARY_PATH`."""
    folder = tmp_path_factory.mktemp("drivers")
    return install(folder, "laptime-fake-cuda", "laptime-fake-nvml")
