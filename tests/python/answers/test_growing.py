"""Memory that grows in a plain script is told without an option, and other memory is not.

`make test` runs two of the programs, `make answers` each.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import laptime as lt

PROGRAM = Path(__file__).parent / "growing.py"
#: What is run without `--all`.
FEW = {"caches", "clean_full"}
#: Kinds of finding about memory of the process.
MEMORY = {"resident-growth", "memory-rise"}

GROWING = [
    "after_loading",
    "appends",
    "bursts",
    "caches",
    "idle_end",
    "os_exit",
    "small",
    "sys_exit",
    "thread",
]
CLEAN = ["clean_full", "clean_late", "clean_loads", "clean_saw"]


@pytest.fixture(autouse=True)
def some_of_them(request: pytest.FixtureRequest) -> None:
    """Skips a program that isn't among the few, without `--all`."""
    kind = request.getfixturevalue("kind")
    if kind not in FEW and not request.config.getoption("--all"):
        pytest.skip("make answers runs it")


def memory_findings(kind: str, output: Path, *options: str) -> list[lt.Finding]:
    """Runs a program, and returns what is found about its memory."""
    command = [sys.executable, "-m", "laptime", "run", *options, "-o", str(output), PROGRAM, kind]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return [one for one in lt.open(output).report().findings if one.kind in MEMORY]


@pytest.mark.parametrize("kind", GROWING)
def test_memory_that_grows_is_told_per_second(kind: str, tmp_path: Path) -> None:
    (found,) = memory_findings(kind, tmp_path / "run.lap")
    assert found.kind == "resident-growth"
    assert "per second" in found.text
    if kind == "small":
        # The others wait for nearly all of their time: a few samples at work name nothing.
        assert "growing.py:" in found.text, "what the program computed meanwhile"


@pytest.mark.parametrize("kind", ["appends", "caches", "os_exit"])
def test_memory_that_grows_is_told_by_counted_allocations(kind: str, tmp_path: Path) -> None:
    (found,) = memory_findings(kind, tmp_path / "run.lap", "--memory")
    assert found.kind == "memory-rise"
    assert "library" not in found.text


@pytest.mark.parametrize("kind", CLEAN)
def test_memory_that_does_not_grow_all_the_time_is_not_told(kind: str, tmp_path: Path) -> None:
    assert memory_findings(kind, tmp_path / "run.lap") == []
