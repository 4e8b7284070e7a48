"""docs/unaware.md says what a program can see of Laptime: no less than it sees, and no more."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
DOCUMENT = HERE.parent.parent / "docs" / "unaware.md"
FACTS = HERE / "table" / "facts.py"

SEEN = {
    "recording": "the recording: a folder",
    "variables": "`LAPTIME_RUN`, `LAPTIME_AUTO` and, with `--memory`, `LAPTIME_MEMORY` in",
    "modules": "`laptime` modules in `sys.modules`",
    "descriptors": "four open files, numbered from 900 on",
    "processes": "two more processes in its process group",
    "threads": "two more threads in `/proc/self/task`",
    "signals": "the signals 32 and 33",
    "leads": "no leader of a process group or session",
    "arguments": "reach the system's limit a few hundred bytes earlier",
    "death signal": "`SIGKILL` from `prctl(PR_GET_PDEATHSIG)`",
}
"""A fact that differs, and the words of the row that says so."""

ELSEWHERE = {
    "`kill -STOP` on `laptime run`": "crates/laptime-cli/tests/it/launcher",
    "garbage collections at other moments": "a fact of moments",
    "two mappings of the recording": "a fact of the interpreter's own books",
    "isn't told of a core file": "crates/laptime-cli/tests/it/launcher",
    "comes from `laptime run`, unless": "crates/laptime-cli/tests/it/launcher",
    "`SIGPIPE` isn't ignored": "a fact of whoever starts it",
    "are obeyed twice": "a fact of whoever starts it",
    "where its memory is used up": "tests/python/test_no_memory.py",
}
"""Rows that no fact of the program's own shows, and what does."""


def facts(place: Path, *before: str) -> dict[str, Any]:
    environment = {key: it for key, it in os.environ.items() if not key.startswith("LAPTIME")}
    done = subprocess.run(
        [sys.executable, *before, str(FACTS)],
        cwd=place,
        env=environment,
        stdout=subprocess.PIPE,
        start_new_session=True,
        check=True,
    )
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return facts(tmp_path_factory.mktemp("alone"))


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return facts(tmp_path_factory.mktemp("measured"), "-m", "laptime", "run")


def rows() -> list[str]:
    text = DOCUMENT.read_text()
    table = text.partition("### Always\n")[2].partition("\n### ")[0]
    lines = [line for line in table.splitlines() if line.startswith("| ")]
    return lines[1:]


def test_each_difference_has_a_row(alone: dict[str, Any], measured: dict[str, Any]) -> None:
    assert {name for name in alone if alone[name] != measured[name]} == set(SEEN)
    for name, words in SEEN.items():
        assert any(words in row for row in rows()), name


def test_each_row_has_a_difference() -> None:
    words = [*SEEN.values(), *ELSEWHERE]
    unseen = [row for row in rows() if not any(said in row for said in words)]
    assert not unseen


def test_the_numbers_are_those_of_the_rows(alone: dict[str, Any], measured: dict[str, Any]) -> None:
    assert (alone["recording"], measured["recording"]) == ([], [".laptime"])
    assert measured["descriptors"] - alone["descriptors"] == 4
    assert measured["processes"] - alone["processes"] == 2
    assert measured["threads"] - alone["threads"] == 2
    assert set(measured["signals"]) - set(alone["signals"]) <= {32, 33}
    assert (alone["leads"], measured["leads"]) == ([True, True, False], [False, False, True])
    assert measured["death signal"] == 9
    assert 0 < measured["arguments"] < 500
    named = set(re.findall(r"`(LAPTIME_\w+)`", SEEN["variables"]))
    assert set(measured["variables"]) <= named
