"""Tests of the automatic phases: the state machine on a scripted clock, then real torch."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from program import Program


@pytest.fixture
def program() -> Program:
    """A training program on a scripted clock."""
    return Program()
