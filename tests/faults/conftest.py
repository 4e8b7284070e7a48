"""Tests of what goes wrong around a program: how it ends, what it forks, a disk that fills."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from launched import Runner


@pytest.fixture
def run(tmp_path: Path) -> Runner:
    """Runs scripts in a folder of their own."""
    return Runner(tmp_path)
