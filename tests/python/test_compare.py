"""`lt.compare()` on recordings: what it returns, and what it refuses."""

from __future__ import annotations

import copy
import json
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import laptime as lt


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two recordings; the second one has a lap more."""
    folder = tmp_path_factory.mktemp("compare")
    paths = folder / "base.lap", folder / "new.lap"
    for path in paths:
        with lt.record(path):
            for _ in range(40):
                with lt.lap("step"):
                    with lt.lap("forward"):
                        sum(range(2_000))
                    if path == paths[1]:
                        with lt.lap("check"):
                            sum(range(500))
    return paths


def test_a_recording_differs_in_nothing_from_itself(recorded: tuple[Path, Path]) -> None:
    base, _ = recorded
    found = lt.compare(base, str(base))
    assert [row.path for row in found.rows] == ["step", "step/forward"]
    for row in found.rows:
        assert (row.ratio, row.difference_ns, row.presence) == (1.0, 0.0, "both")
    assert found.verdict in ("same", "inconclusive")
    assert found.differs == []


def test_a_lap_of_one_side_is_added_and_the_differences_add_up(recorded: tuple[Path, Path]) -> None:
    found = lt.compare(*recorded)
    rows = {row.path: row for row in found.rows}
    check = rows["step/check"]
    assert (check.presence, check.verdict, check.base_ns) == ("added", None, None)
    assert check.new_ns is not None
    assert found.whole.path == "step"
    assert found.whole.median_difference_ns == rows["step"].median_difference_ns
    assert found.inside is None
    own = sum(row.own_difference_ns for row in found.rows)
    assert own == pytest.approx(rows["step"].difference_ns, abs=1e-3 * check.difference_ns)


def test_several_runs_are_a_side(recorded: tuple[Path, Path]) -> None:
    base, new = recorded
    found = lt.compare([base, base], (new, new), threshold=0.05)
    numbers = json.loads(found.to_json())
    assert [one["name"] for one in numbers["base"]["recordings"]] == [str(base)] * 2
    assert numbers["pairs"][0]["threshold_ratio"] == 0.05
    assert not any("one run" in warning for warning in found.warnings)
    assert any("one run" in warning for warning in lt.compare(base, new).warnings)


def test_it_is_shown_as_text_markdown_and_pages(
    recorded: tuple[Path, Path], tmp_path: Path
) -> None:
    found = lt.compare(*recorded)
    assert str(found).startswith("base.lap → new.lap")
    assert found.headline in " ".join(str(found).split())
    assert found.to_markdown().startswith("## base.lap → new.lap\n")
    assert found.to_html(tmp_path / "a.html") is None
    assert (tmp_path / "a.html").read_text().startswith("<!doctype html>")
    bundle = found._repr_mimebundle_()
    assert set(bundle) == {"text/plain", "text/html", "text/markdown"}
    assert "<table" in bundle["text/html"]
    assert "step/check" in repr(found.rows[-1])
    assert found.verdict in repr(found)


def test_it_is_a_value(recorded: tuple[Path, Path]) -> None:
    found = lt.compare(*recorded)
    assert copy.deepcopy(found) is found
    with pytest.raises(TypeError, match="to_json"):
        pickle.dumps(found)


def test_what_is_no_side_is_refused(recorded: tuple[Path, Path], tmp_path: Path) -> None:
    base, new = recorded
    with pytest.raises(FileNotFoundError):
        lt.compare(base, tmp_path / "missing.lap")
    with pytest.raises(TypeError):
        lt.compare(base, 3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(ValueError, match="empty list"):
        lt.compare(base, [])
    with pytest.raises(ValueError, match="threshold"):
        lt.compare(base, new, threshold=0.0)


#: `search` has work or none; `load` works all the same.
JOB = """
from time import process_time

def work(seconds):
    end = process_time() + seconds
    while process_time() < end:
        sum(range(100))

def search():
    {search}

def load():
    work(0.3)

search()
load()
"""


def test_functions_of_two_versions_of_a_script_are_matched(tmp_path: Path) -> None:
    for name, search in (("job", "work(0.6)"), ("job_fast", "pass")):
        script = tmp_path / f"{name}.py"
        script.write_text(JOB.format(search=search))
        command = [sys.executable, "-m", "laptime", "run", "-o", f"{name}.lap", script.name]
        subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, timeout=300)
    found = lt.compare(tmp_path / "job.lap", tmp_path / "job_fast.lap")
    assert found.verdict != "not-comparable"
    notes = json.loads(found.to_json())["pairs"][0]["notes"]
    assert "other-script" in [note["code"] for note in notes]
    functions = {function.name: function for function in found.functions}
    assert len(functions) == len(found.functions)
    for name in ("work", "load"):
        both = functions[name]
        assert both.file is not None
        assert both.file.endswith("job_fast.py")
        assert both.base_total_ns > 0
        assert both.new_total_ns > 0
        assert both.unsampled_below_ns is None
    # It is called all the same: nothing says that it is gone.
    search_row = functions["search"]
    assert search_row.base_total_ns > 0
    assert search_row.new_total_ns == 0
    assert search_row.unsampled_below_ns is not None
    assert " gone" not in str(found)
    assert "removed" not in str(found)
