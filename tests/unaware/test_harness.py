"""The suite itself: it sees every difference there is, and its subset leaves no pair out."""

from __future__ import annotations

import ast
import itertools
import sys
from pathlib import Path

import pytest
from harness.outcome import Outcome, without_own_lines
from harness.programs import Program, programs
from harness.running import run
from harness.ways import OPTIONS, PAIRWISE, Way, subset

WATCHFUL = """
import os, sys
under = "LAPTIME_RUN" in os.environ
{deed}
"""


def outcomes(folder: Path, deed: str, way: Way | None) -> tuple[Outcome, Outcome]:
    """A program alone, and the same program one way."""
    path = folder / "watchful.py"
    path.write_text(WATCHFUL.format(deed=deed))
    program = Program("made", "watchful", path)
    return run(program, None, folder), run(program, way, folder)


@pytest.mark.parametrize(
    ("deed", "field"),
    [
        ("sys.exit(under)", "code"),
        ("print(under)", "out"),
        ("print(under, file=sys.stderr)", "err"),
        ("open('f', 'w').write(str(under))", "files"),
        ("os.mkdir('d', 0o700 if under else 0o755)", "files"),
        ("under and open(os.environ['TMPDIR'] + '/left', 'w')", "files"),
        ("under and os.kill(os.getpid(), 9)", "code"),
    ],
)
def test_a_program_that_goes_differently_is_found_out(
    tmp_path: Path, deed: str, field: str
) -> None:
    alone, under = outcomes(tmp_path, deed, Way())
    assert getattr(alone, field) != getattr(under, field)
    assert field in alone.difference(under)


@pytest.mark.parametrize("end", ["", "\\n", "\\n\\n", " "])
def test_what_a_program_says_last_is_told_from_the_summary(tmp_path: Path, end: str) -> None:
    alone, under = outcomes(tmp_path, f"sys.stderr.write('the end{end}')", Way(("memory",)))
    assert alone.err.startswith("the end")
    assert alone == under


def test_only_the_last_summary_is_laptimes() -> None:
    summary = (
        "\nt.py  1.20 s: 63 % startup, 21 % step. A step takes 2 ms: data\n42 %.\n"
        "3 spans · exit code 0 · host time\nlines\n\nnext: laptime report t.lap --tree\n"
    )
    said = "laptime: warning: no room\nsaid"
    assert without_own_lines(said + summary) == "said"
    assert without_own_lines("said" + summary + summary) == "said" + summary
    assert without_own_lines("said\nnext: laptime report it\n") == "said\nnext: laptime report it\n"


def test_the_subset_has_every_pair_of_options_meet_every_kind() -> None:
    every = set(itertools.product((True, False), repeat=2))
    chosen = list(subset(programs()))
    for kind in {program.kind for program in programs()}:
        ways = [way for program, way in chosen if program.kind == kind]
        for pair in itertools.combinations(OPTIONS, 2):
            met = {tuple(option in way.options for option in pair) for way in ways}
            assert met == every, f"{kind} under {pair}"
    assert {program for program, _ in chosen} == {p for p in programs() if p.in_subset}
    assert len(PAIRWISE) == len(set(PAIRWISE))


def test_every_program_says_what_it_does() -> None:
    for program in programs():
        if program.start.startswith("-m"):
            continue
        assert ast.get_docstring(ast.parse(program.path.read_text())), str(program)


def test_no_program_hides_a_module_of_the_standard_library_from_others() -> None:
    names = {program.name for program in programs() if program.path.name != "main.py"}
    assert not names & sys.stdlib_module_names
