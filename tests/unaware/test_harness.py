"""The suite itself: it sees every difference there is, and its subset leaves no pair out."""

from __future__ import annotations

import ast
import itertools
import sys
from pathlib import Path

import pytest
from harness.ceilings import know_ceilings
from harness.outcome import Outcome, listing, without_own_lines
from harness.programs import Program, programs
from harness.running import run
from harness.ways import ALL, DEALT, OPTIONS, PAIRWISE, Way, subset

WATCHFUL = """
import os, subprocess, sys
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
        ("subprocess.run(['sh', '-c', 'echo $LAPTIME_RUN'])", "out"),
        ("print(len(os.listdir('/proc/self/task')))", "out"),
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
        "3 spans · exit code 0\nlines\n\n"
        "recording: t.lap\nnext: laptime report t.lap --tree\n"
    )
    said = "laptime: warning: no room\nsaid"
    assert without_own_lines(said + summary) == "said"
    assert without_own_lines("said" + summary + summary) == "said" + summary
    assert without_own_lines("said\nnext: laptime report it\n") == "said\nnext: laptime report it\n"


def test_no_run_measures_what_the_machine_reaches(tmp_path: Path) -> None:
    path, cache = tmp_path / "small.py", tmp_path / "cache"
    path.write_text("print(1)")
    know_ceilings(cache)
    known = listing(cache)
    assert run(Program("made", "small", path), Way(("ops",)), cache).code == "0"
    assert listing(cache) == known


def pairs(ways: list[Way]) -> set[tuple[str, str, bool, bool]]:
    """Every two options, and whether each was on."""
    return {
        (one, other, one in way.options, other in way.options)
        for way in ways
        for one, other in itertools.combinations(OPTIONS, 2)
    }


def test_the_subset_has_every_pair_of_options_meet_every_kind() -> None:
    chosen = list(subset(programs()))
    for kind in {program.kind for program in programs()}:
        ways = [way for program, way in chosen if program.kind == kind]
        if len(ways) >= len(PAIRWISE):
            assert pairs(ways) == pairs(list(ALL)), kind
        else:
            assert set(ways) < set(PAIRWISE), kind
        assert len(set(ways)) == min(len(ways), len(ALL)), f"{kind}: a way twice, another not"
    assert [program for program, _ in chosen] == [p for p in programs() if p.in_subset]
    assert {way for _, way in chosen} == set(ALL)


def test_few_programs_of_a_kind_meet_as_many_pairs_as_so_few_can() -> None:
    for count in range(1, len(PAIRWISE) + 1):
        most = max(len(pairs(list(ways))) for ways in itertools.combinations(ALL, count))
        # Where the fifth is to meet all there are, the first four can't have one more.
        assert len(pairs(list(DEALT[:count]))) >= most - (count == 4)


def test_every_program_says_what_it_does() -> None:
    for program in programs():
        if program.start.startswith("-m"):
            continue
        assert ast.get_docstring(ast.parse(program.path.read_text())), str(program)


def test_no_program_hides_a_module_of_the_standard_library_from_others() -> None:
    names = {program.name for program in programs() if program.path.name != "main.py"}
    assert not names & sys.stdlib_module_names
