"""A program that knows nothing of Laptime goes under it as it goes alone."""

from __future__ import annotations

import pytest
from harness.ahead import Ahead, runs_of
from harness.programs import Program
from harness.ways import Way


# Over what a run may take, three times.
@pytest.mark.timeout(900)
def test_unaware(program: Program, way: Way, ahead: Ahead) -> None:
    alone, again, under = (ahead.outcome(run) for run in runs_of(program, way))
    if itself := alone.difference(again):
        pytest.fail(f"{program} goes differently each time by itself:\n{itself}", pytrace=False)
    if difference := alone.difference(under):
        pytest.fail(f"laptime {way} changes {program}:\n{difference}", pytrace=False)
