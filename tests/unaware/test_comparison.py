"""What a program does alone is taken from earlier sessions, and hides no difference."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from harness.comparison import Comparison
from harness.conditions import conditions
from harness.outcome import Outcome
from harness.programs import Program
from harness.running import run
from harness.store import LONGEST_UNUSED_S, MOST, Store
from harness.ways import Way

WAY = Way()
PLAIN = Outcome(code="0", out="said\n", err="", files="")
OTHER = Outcome(code="1", out="said\n", err="", files="")
HANGS = Outcome(code="still running", out="", err="", files="", is_whole=False)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    folder = tmp_path / "programs"
    folder.mkdir()
    (folder / "small.py").write_text("print(1)")
    return Program("made", "small", folder / "small.py")


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "alone")


class Scripted:
    """Runs that go as they are told, first to last; the last one again and again."""

    def __init__(self, alone: list[Outcome], under: Outcome) -> None:
        self.alone = alone
        self.under = under
        self.count = 0

    def __call__(self, program: Program, way: Way | None, cache: Path) -> Outcome:
        if way is not None:
            return self.under
        self.count += 1
        return self.alone.pop(0) if len(self.alone) > 1 else self.alone[0]


@pytest.fixture
def complaint(program: Program, store: Store, tmp_path: Path) -> Callable[..., tuple[str, int]]:
    """What a new session complains of, and how often it ran the program alone."""

    def complaint(*alone: Outcome, under: Outcome, afresh: bool = False) -> tuple[str, int]:
        runs = Scripted(list(alone), under)
        session = Comparison(tmp_path, store, afresh=afresh, run=runs)
        return session.complaint(program, WAY), runs.count

    return complaint


def test_a_program_runs_alone_once_for_all_sessions(
    complaint: Callable[..., tuple[str, int]],
) -> None:
    assert complaint(PLAIN, under=PLAIN) == ("", 1)
    assert complaint(PLAIN, under=PLAIN) == ("", 0)


def test_a_difference_is_told_when_the_program_went_alone_as_before(
    complaint: Callable[..., tuple[str, int]],
) -> None:
    for fresh in (3, 2, 2):
        said, count = complaint(PLAIN, under=OTHER)
        assert "laptime run changes made/small" in said
        assert "+1" in said
        assert count == fresh


def test_a_stored_outcome_that_is_out_of_date_is_not_told_as_laptimes_doing(
    complaint: Callable[..., tuple[str, int]],
) -> None:
    complaint(OTHER, under=OTHER)
    assert complaint(PLAIN, under=PLAIN) == ("", 2)
    assert complaint(PLAIN, under=PLAIN) == ("", 0)
    assert "laptime run changes" in complaint(PLAIN, under=OTHER)[0]


@pytest.mark.parametrize("alone", [(PLAIN, OTHER, PLAIN), (PLAIN, OTHER, OTHER)])
def test_a_program_that_goes_differently_by_itself_is_told_as_such(
    complaint: Callable[..., tuple[str, int]], alone: tuple[Outcome, ...]
) -> None:
    said, _ = complaint(*alone, under=OTHER)
    assert "made/small goes differently each time by itself" in said
    assert "laptime run" not in said


def test_every_program_runs_alone_twice_where_all_is_run(
    complaint: Callable[..., tuple[str, int]],
) -> None:
    complaint(PLAIN, under=PLAIN)
    assert complaint(PLAIN, under=PLAIN, afresh=True) == ("", 2)
    assert "by itself" in complaint(PLAIN, OTHER, under=PLAIN, afresh=True)[0]


def test_a_program_that_hangs_alone_is_told_and_not_stored(
    complaint: Callable[..., tuple[str, int]],
) -> None:
    for _ in range(2):
        said, count = complaint(HANGS, under=HANGS)
        assert "does not end by itself" in said
        assert count == 1


def test_harm_is_found_when_the_program_alone_is_of_an_earlier_session(
    program: Program, store: Store, tmp_path: Path
) -> None:
    def planted(program: Program, way: Way | None, cache: Path) -> Outcome:
        """Harm that Laptime could do: a variable that a child inherits."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("PATH", os.environ["PATH"] + ":/left" * (way is not None))
            return run(program, way, cache)

    program.path.write_text("import subprocess\nsubprocess.run(['sh', '-c', 'echo $PATH'])")
    assert Comparison(tmp_path, store).complaint(program, WAY) == ""
    later = Comparison(tmp_path, store, run=planted)
    assert ":/left" in later.complaint(program, WAY)


def test_nothing_of_laptime_is_loaded_where_a_program_runs_alone(
    program: Program, tmp_path: Path
) -> None:
    program.path.write_text(
        "import os, sys\n"
        "print([name for name in [*sys.modules, *os.environ] if 'laptime' in name.lower()])\n"
        "print([f for f in map(type, sys.meta_path) if 'laptime' in f.__module__])"
    )
    alone = run(program, None, tmp_path)
    assert (alone.out, alone.err) == ("[]\n[]\n", "")


def test_whatever_a_program_can_see_is_among_its_conditions(
    program: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    met = [conditions(program, tmp_path)]
    assert conditions(program, tmp_path) == met[0]

    program.path.write_text("print(2)")
    met.append(conditions(program, tmp_path))
    program.path.with_suffix(".stdin").write_text("an answer")
    met.append(conditions(program, tmp_path))
    (program.path.parent / "imported.py").write_text("")
    met.append(conditions(program, tmp_path))
    monkeypatch.setenv("PATH", "/elsewhere")
    met.append(conditions(program, tmp_path))
    (tmp_path / "driver").mkdir()
    monkeypatch.setenv("UNAWARE_DRIVER", str(tmp_path / "driver"))
    met.append(conditions(program, tmp_path))
    (tmp_path / "driver" / "libcuda.so.1").write_text("built anew")
    met.append(conditions(program, tmp_path))
    assert len(set(met)) == len(met)


@pytest.mark.parametrize("damage", [b"", b"{}", b"[]", b"\xff", None])
def test_a_damaged_outcome_is_as_if_it_were_not_there(
    store: Store, tmp_path: Path, damage: bytes | None
) -> None:
    store.write("key", "made/small", PLAIN)
    assert store.read("key") == PLAIN
    (path,) = (tmp_path / "alone").iterdir()
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b"said", b"sayd") if damage is None else damage)
    assert store.read("key") is None
    # Nor is one that stands under another name.
    path.write_bytes(whole)
    path.rename(path.with_name("other.json"))
    assert store.read("other") is None


def test_outcomes_that_nobody_uses_go(store: Store, tmp_path: Path) -> None:
    store.prune()
    store.write("key", "made/small", PLAIN)
    (path,) = (tmp_path / "alone").iterdir()
    now = path.stat().st_mtime
    store.prune(now + LONGEST_UNUSED_S / 2)
    assert store.read("key") == PLAIN
    os.utime(path, (now, now))
    store.prune(now + LONGEST_UNUSED_S + 1)
    assert store.read("key") is None

    for number in range(MOST + 5):
        other = path.with_name(f"{number}.json")
        other.touch()
        os.utime(other, (now + number, now + number))
    store.prune(now)
    assert {int(path.stem) for path in path.parent.iterdir()} == set(range(5, MOST + 5))
