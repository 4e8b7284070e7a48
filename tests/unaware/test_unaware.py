"""A program that knows nothing of Laptime goes under it as it goes alone.

Each is started anew, twice in a first run, and what it imports is most of it: up to seven seconds.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
from harness.comparison import Comparison
from harness.programs import Program
from harness.running import LONGEST_S
from harness.ways import Way


# Over what its runs may take: twice alone before and after, and once under Laptime.
@pytest.mark.timeout(5 * LONGEST_S + 60)
def test_unaware(
    program: Program,
    way: Way,
    comparison: Comparison,
    record_property: Callable[[str, object], None],
) -> None:
    complaint = comparison.complaint(program, way)
    record_property("program", str(program))
    record_property("alone", "stored" if comparison.uses_stored(program) else "run")
    if complaint:
        pytest.fail(complaint, pytrace=False)
