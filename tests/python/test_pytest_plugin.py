"""The pytest plug-in, in runs of pytest of its own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from laptime.benchmarks import _saved, bench
from laptime.integrations._pytest_verdicts import Asked, Baseline

TEST = """
import pytest

@pytest.mark.laptime(threshold=0.5, budget=0.1)
def test_sum(lap):
    found = lap(sum, range(1000))
    assert found.median_ns > 0
    with lap("rest"):
        pass
"""


TWO = """
import pytest

@pytest.mark.laptime(budget=0.02)
@pytest.mark.parametrize("number", ["one", "two"])
def test_it(lap, number):
    lap(sum, range(1000))
"""


def command(*options: str) -> list[str]:
    plugin = ["-p", "laptime.integrations.pytest", "-p", "no:cacheprovider"]
    return [sys.executable, "-m", "pytest", "-q", *plugin, *options]


def environment() -> dict[str, str]:
    paths = {"PYTHONPATH": os.environ["PYTHONPATH"]} if "PYTHONPATH" in os.environ else {}
    return {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": "/usr/bin:/bin", **paths}


def ran(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(*options),
        cwd=folder,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )


def kept_in(folder: Path) -> dict[str, Any]:
    """The benchmarks that are kept as main, by name."""
    found = json.loads((folder / ".laptime" / "benchmarks" / "main.json").read_text())
    return {one["name"]: one for one in found["benchmarks"]}


def keep(folder: Path, samples_ns: list[float]) -> None:
    """Keeps these samples of the test as main."""
    path = folder / ".laptime" / "benchmarks" / "main.json"
    path.parent.mkdir(parents=True)
    _saved.write(path, [{"name": "test_it.py::test_sum", "samples_ns": samples_ns}])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "test_it.py").write_text(TEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def is_told_slower(said: str) -> bool:
    """Whether it says so, in any way: a busy machine leaves few samples, or no ratio."""
    times = r"takes (?:about )?[\d,.]+ times as long as the baseline"
    ways = f"{times}|is slower than the baseline(?:: all |, but by how much can't be told)"
    return re.search(f"test_it.py::test_sum ({ways})", said) is not None


def test_a_saved_run_is_no_slower_than_itself_and_fails_against_a_faster_one(folder: Path) -> None:
    saved = ran(folder, "--laptime-save", "main")
    assert saved.returncode == 0, saved.stdout + saved.stderr
    assert "test_it.py::test_sum: sum: " in saved.stdout
    kept = folder / ".laptime" / "benchmarks" / "main.json"
    found = json.loads(kept.read_text())
    one = found["benchmarks"][0]
    # A baseline a thousand times as fast: whatever the machine does, this run is slower.
    one["samples_ns"] = [ns / 1000 for ns in one["samples_ns"]]
    kept.write_text(json.dumps(found))
    compared = ran(folder, "--laptime-compare", "main")
    assert compared.returncode == 1, compared.stdout
    assert is_told_slower(compared.stdout)


def test_files_of_pytest_benchmark_are_a_baseline(folder: Path) -> None:
    data = [1e-9 + index * 1e-12 for index in range(40)]
    one = {"name": "test_sum", "fullname": "test_it.py::test_sum", "stats": {"data": data}}
    (folder / "theirs.json").write_text(json.dumps({"benchmarks": [one]}))
    compared = ran(folder, "--laptime-compare", "theirs.json")
    assert compared.returncode == 1, compared.stdout
    assert is_told_slower(compared.stdout)


def test_a_baseline_that_is_not_there_ends_the_run_with_what_to_do(folder: Path) -> None:
    compared = ran(folder, "--laptime-compare", "main")
    assert compared.returncode == 4
    assert "--laptime-save main writes one" in compared.stderr


def test_a_run_without_the_fixture_is_left_alone(folder: Path) -> None:
    (folder / "test_it.py").write_text("def test_it(): pass\n")
    left = ran(folder)
    assert left.returncode == 0
    assert "laptime" not in left.stdout


def test_a_few_samples_that_are_all_longer_than_a_few_saved_ones_fail_the_test(
    folder: Path,
) -> None:
    keep(folder, [1.0, 1.1, 1.2, 1.3, 1.4])
    compared = ran(folder, "--laptime-compare", "main")
    assert compared.returncode == 1, compared.stdout
    assert "test_it.py::test_sum is slower than the baseline: all " in compared.stdout
    assert "samples are longer than all 5 of the baseline" in compared.stdout
    assert "beyond the threshold of 50 %" in compared.stdout


def test_a_benchmark_without_a_verdict_passes_and_is_told(folder: Path) -> None:
    keep(folder, [1.0, 1.1, 1.2, 1.3])
    compared = ran(folder, "--laptime-compare", "main")
    assert compared.returncode == 0, compared.stdout
    assert "No verdict on 1 of 1 benchmarks:" in compared.stdout
    assert "samples against 4. 4 values are too few" in compared.stdout
    assert "@pytest.mark.laptime(budget=0.5)" in compared.stdout


def test_a_baseline_that_can_not_be_compared_is_told(folder: Path) -> None:
    keep(folder, [0.0] * 20)
    compared = ran(folder, "--laptime-compare", "main")
    assert compared.returncode == 0, compared.stdout
    assert "test_it.py::test_sum: The median of the base side is zero" in compared.stdout
    assert "Measure the baseline anew with --laptime-save main" in compared.stdout


def test_a_benchmark_that_is_not_in_the_baseline_is_told(folder: Path) -> None:
    assert ran(folder, "--laptime-save", "main").returncode == 0
    (folder / "test_it.py").write_text(TEST.replace("test_sum", "test_new"))
    compared = ran(folder, "--laptime-compare", "main")
    assert compared.returncode == 0, compared.stdout
    assert "test_it.py::test_new: not in the baseline" in compared.stdout


def test_few_samples_fail_only_where_all_are_longer_by_more_than_the_threshold() -> None:
    asked = Asked(bench, threshold=0.05, budget=2.0)
    assert fails([100.0] * 5, [105.5] * 5, asked)
    assert not fails([100.0] * 5, [104.5] * 5, asked)
    assert not fails([100.0] * 4, [300.0] * 5, asked)
    assert not fails([100.0] * 5, [300.0] * 4, asked)
    assert not fails([100.0] * 4 + [290.0], [300.0] * 5, asked)
    assert not fails([300.0] * 5, [100.0] * 5, asked)


def fails(base: list[float], new: list[float], asked: Asked) -> bool:
    slower, unclear = Baseline("main", {"it": base}).hold("it", new, asked)
    assert (slower is None) != (unclear is None)
    return slower is not None


def test_benchmarks_that_do_not_run_keep_their_values(folder: Path) -> None:
    (folder / "test_it.py").write_text(TWO)
    assert ran(folder, "--laptime-save", "main").returncode == 0
    before = kept_in(folder)
    assert list(before) == ["test_it.py::test_it[one]", "test_it.py::test_it[two]"]
    assert ran(folder, "--laptime-save", "main", "-k", "two").returncode == 0
    after = kept_in(folder)
    assert list(after) == list(before)
    assert after["test_it.py::test_it[one]"] == before["test_it.py::test_it[one]"]
    assert after["test_it.py::test_it[two]"] != before["test_it.py::test_it[two]"]
    assert [path.name for path in (folder / ".laptime" / "benchmarks").iterdir()] == ["main.json"]


def test_runs_that_save_at_the_same_time_lose_nothing(folder: Path) -> None:
    (folder / "test_it.py").write_text(TWO)
    jobs = [
        subprocess.Popen(
            command("--laptime-save", "main", "-k", number), cwd=folder, env=environment()
        )
        for number in ("one", "two")
    ]
    assert [job.wait() for job in jobs] == [0, 0]
    assert sorted(kept_in(folder)) == ["test_it.py::test_it[one]", "test_it.py::test_it[two]"]


def test_many_that_save_at_once_lose_nothing(tmp_path: Path) -> None:
    def merge(number: int) -> None:
        _saved.merge(tmp_path / "main.json", [{"name": str(number), "samples_ns": [1.0]}])

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(merge, range(40)))
    assert sorted(_saved.read(tmp_path / "main.json"), key=int) == [str(n) for n in range(40)]
    assert [path.name for path in tmp_path.iterdir()] == ["main.json"]


def test_workers_of_xdist_save_and_tell_everything(folder: Path) -> None:
    pytest.importorskip("xdist")
    (folder / "test_it.py").write_text(TWO)
    saved = ran(folder, "-p", "xdist", "-n", "2", "--laptime-save", "main")
    assert saved.returncode == 0, saved.stdout + saved.stderr
    assert "test_it.py::test_it[one]: sum: " in saved.stdout
    assert sorted(kept_in(folder)) == ["test_it.py::test_it[one]", "test_it.py::test_it[two]"]
    (folder / ".laptime" / "benchmarks" / "main.json").unlink()
    keep_two = {"name": "test_it.py::test_it[two]", "samples_ns": [1.0]}
    _saved.write(folder / "base.json", [keep_two])
    compared = ran(folder, "-p", "xdist", "-n", "2", "--laptime-compare", "base.json")
    assert compared.returncode == 0, compared.stdout + compared.stderr
    assert "No verdict on 2 of 2 benchmarks:" in compared.stdout


@pytest.mark.parametrize(
    ("benchmarks", "what"),
    [
        ("[1]", "benchmark 1 of 1 should be an object, and is a number"),
        ('[{"name": "a", "samples_ns": null}]', "a list of numbers in samples_ns, and has null"),
        ('[{"name": "a", "samples_ns": [1, "2"]}]', "only numbers in samples_ns, and has text"),
        ('[{"name": "a", "samples_ns": [true]}]', "and has true or false"),
        ('[{"name": "a", "samples_ns": [1' + "0" * 400 + "]}]", "that is too large"),
        ('[{"name": null, "samples_ns": [1]}]', "a name that is text, and has null"),
        ('[{"samples_ns": [1]}]', "a name that is text, and has null"),
        ('[{"name": "a"}]', "has neither samples_ns nor stats"),
        ('[{"name": "a", "stats": [1]}]', "has neither samples_ns nor stats"),
        ('[{"name": "a", "stats": {"data": 3}}]', "a list of numbers in stats, and has a number"),
        ('[{"name": "a", "stats": {"median": {}}}]', "only numbers in stats, and has an object"),
        ("[" * 100_000, "is no JSON"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path: Path, benchmarks: str, what: str) -> None:
    path = tmp_path / "odd.json"
    path.write_text(f'{{"benchmarks": {benchmarks}}}')
    with pytest.raises(ValueError, match=r"odd\.json is ") as caught:
        _saved.read(path)
    assert what in str(caught.value)


def test_a_damaged_baseline_ends_the_run_with_what_to_do(folder: Path) -> None:
    (folder / "odd.json").write_text('{"benchmarks": [1]}')
    compared = ran(folder, "--laptime-compare", "odd.json")
    assert compared.returncode == 4, compared.stdout + compared.stderr
    assert "odd.json is damaged: benchmark 1 of 1 should be an object" in compared.stderr
    assert "odd.json and run pytest --laptime-save odd.json" in compared.stderr
    assert "INTERNALERROR" not in compared.stdout + compared.stderr


def test_a_file_that_can_not_be_added_to_ends_the_run_before_it_measures(folder: Path) -> None:
    for text in ("{", '{"benchmarks": []}'):
        (folder / "odd.json").write_text(text)
        saved = ran(folder, "--laptime-save", "odd.json")
        assert saved.returncode == 4, saved.stdout + saved.stderr
        assert "odd.json to begin anew, or save under another name" in saved.stderr
        assert (folder / "odd.json").read_text() == text


def test_what_can_not_be_saved_fails_the_run_and_is_told(folder: Path) -> None:
    spoilt = TEST + "    open('.laptime', 'w').close()  # where the folder would be\n"
    (folder / "test_it.py").write_text(spoilt)
    saved = ran(folder, "--laptime-save", "main")
    assert saved.returncode == 1, saved.stdout + saved.stderr
    assert "1 passed" in saved.stdout
    assert "Not saved under main: " in saved.stdout
    assert "INTERNALERROR" not in saved.stdout + saved.stderr


@pytest.mark.parametrize(
    ("marker", "what"),
    [
        ("0.2", "laptime(0.2) must name its arguments, for example @pytest.mark.laptime(threshold"),
        ("threshold=0.005", "(threshold=0.005): threshold is a part of the base from 0.01"),
        ("threshold='5 %'", "(threshold='5 %'): "),
        ("limit=0.2", "has no argument 'limit'. It takes threshold, budget, precision"),
        ("budget=0", "(budget=0): "),
    ],
)
def test_a_marker_that_does_not_work_fails_its_test(folder: Path, marker: str, what: str) -> None:
    (folder / "test_it.py").write_text(TEST.replace("threshold=0.5, budget=0.1", marker))
    left = ran(folder)
    assert left.returncode == 1, left.stdout
    assert what in left.stdout
    assert "Traceback" not in left.stdout
    assert "1 error" in left.stdout
