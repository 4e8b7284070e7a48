"""A fake driver of CUDA for programs that have no device."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from warm import Warm

HERE = Path(__file__).parent
sys.path.append(str(HERE.parents[1] / "fakes"))

from installed import install


@pytest.fixture(scope="session")
def fake_driver(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of a driver with a virtual clock, for `LD_LIBRARY_PATH`."""
    return install(tmp_path_factory.mktemp("driver"), "laptime-fake-cuda")


@pytest.fixture(scope="session")
def warm_on_device(fake_driver: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warm]:
    """An interpreter with torch that finds this driver, to be forked with `LD_LIBRARY_PATH`."""
    environment = {"LD_LIBRARY_PATH": str(fake_driver)}
    warm = Warm(tmp_path_factory.mktemp("warm-on-device"), ("torch",), environment)
    yield warm
    warm.close()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """One of several workers takes all of these, so that there is one such interpreter."""
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.xdist_group("driver"))
