"""A program that knows nothing of Laptime goes under it as it goes alone."""

from __future__ import annotations

import pytest
from harness.ahead import Ahead, Run
from harness.programs import Program
from harness.ways import Way


# Over what its runs may take.
@pytest.mark.timeout(900)
def test_unaware(program: Program, way: Way, ahead: Ahead, pytestconfig: pytest.Config) -> None:
    alone, under = ahead.outcome(Run(program, None)), ahead.outcome(Run(program, way))
    difference = alone.difference(under)
    if difference or pytestconfig.getoption("--all"):
        if itself := alone.difference(ahead.outcome(Run(program, None, turn=1))):
            pytest.fail(f"{program} goes differently each time by itself:\n{itself}", pytrace=False)
    if difference:
        pytest.fail(f"laptime {way} changes {program}:\n{difference}", pytrace=False)
