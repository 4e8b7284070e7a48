"""The first screen of `laptime run` names what took the time, by file and line.

Each program in `programs/` has its cause planted in lines that end in `# cause`. Those that begin
with `clean_` have none, and no finding may be made of them. `make test` runs four of them,
`make answers` each.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import laptime as lt

PROGRAMS = Path(__file__).parent / "programs"
#: What is run without `--all`: a decorator, a wait, a lock, and a program without a cause.
FEW = {"json_retry", "server_retry", "lock_pool", "clean_deep"}
#: Why the cause isn't on the first screen yet.
NOT_YET = {
    "leak_main": "that memory grows is told, the line that keeps it isn't",
    "leak_retry": "that memory grows is told, the line that keeps it isn't",
}


def programs(clean: bool) -> list[object]:
    """The programs with a cause, or those without."""
    names = sorted(path.stem for path in PROGRAMS.glob("*.py"))
    assert len(names) == 41, names
    marked = []
    for name in names:
        if name.startswith("clean_") == clean:
            why = NOT_YET.get(name)
            marks = [pytest.mark.xfail(reason=why, strict=True)] if why else []
            marked.append(pytest.param(name, marks=marks))
    return marked


def causes(program: str) -> list[int]:
    """The lines in which a program's cause stands."""
    lines = (PROGRAMS / f"{program}.py").read_text().splitlines()
    return [number for number, line in enumerate(lines, 1) if line.endswith("# cause")]


def laptime(*arguments: str, columns: int) -> subprocess.CompletedProcess[str]:
    """Runs the command beside the programs, in a terminal of so many columns."""
    environment = {**os.environ, "COLUMNS": str(columns), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "laptime", *arguments],
        cwd=PROGRAMS,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done


def first_screen(program: str, output: Path) -> str:
    """Runs a program, and returns what is printed of it."""
    return laptime("run", "-o", str(output), f"{program}.py", columns=120).stderr


@pytest.fixture(autouse=True)
def some_of_them(request: pytest.FixtureRequest) -> None:
    """Skips a program that isn't among the few, without `--all`."""
    program = request.getfixturevalue("program")
    if program not in FEW and not request.config.getoption("--all"):
        pytest.skip("make answers runs it")


@pytest.mark.parametrize("program", programs(clean=False))
def test_the_cause_is_on_the_first_screen_by_file_and_line(program: str, tmp_path: Path) -> None:
    lines = "|".join(map(str, causes(program)))
    assert lines, "a program has a cause"
    screen = first_screen(program, tmp_path / "run.lap")
    assert re.search(rf"\b{program}\.py:({lines})\b", screen), screen
    narrow = laptime("report", str(tmp_path / "run.lap"), columns=80).stdout
    assert re.search(rf"\b{program}\.py:({lines})\b", narrow), narrow


@pytest.mark.parametrize("program", ["leak_retry"])
def test_memory_that_grows_is_on_the_first_screen(program: str, tmp_path: Path) -> None:
    screen = first_screen(program, tmp_path / "run.lap")
    assert "Memory of the process rises evenly" in screen, screen


@pytest.mark.parametrize("program", ["blocking_group", "blocking_main"])
def test_a_task_that_others_wait_for_is_said_to_block_the_event_loop(
    program: str, tmp_path: Path
) -> None:
    lines = "|".join(map(str, causes(program)))
    screen = first_screen(program, tmp_path / "run.lap")
    assert re.search(rf"\b{program}\.py:({lines}): \S+ blocks the event\s+loop", screen), screen


@pytest.mark.parametrize("program", programs(clean=True))
def test_a_program_without_a_cause_has_no_finding(program: str, tmp_path: Path) -> None:
    assert not causes(program)
    screen = first_screen(program, tmp_path / "run.lap")
    report = lt.open(tmp_path / "run.lap").report()
    found = [one for one in report.findings if not is_of_no_cause(one)]
    assert not found, screen


def is_of_no_cause(finding: lt.Finding) -> bool:
    """Whether a finding is of the machine, or says how long the import of torch takes."""
    is_of_machine = re.search(r"(The machine was|is a) busy", finding.text) is not None
    return is_of_machine or finding.kind == "startup"
