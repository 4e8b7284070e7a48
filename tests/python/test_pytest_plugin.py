"""The pytest plug-in, in runs of pytest of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

TEST = """
import pytest

@pytest.mark.laptime(threshold=0.5, budget=0.1)
def test_sum(lap):
    found = lap(sum, range(1000))
    assert found.median_ns > 0
    with lap("rest"):
        pass
"""


def ran(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    plugin = ["-p", "laptime.integrations.pytest", "-p", "no:cacheprovider"]
    command = [sys.executable, "-m", "pytest", "-q", *plugin, *options]
    environment = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": "/usr/bin:/bin"}
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "test_it.py").write_text(TEST)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    return tmp_path


def test_a_saved_run_is_no_slower_than_itself_and_fails_against_a_faster_one(folder: Path) -> None:
    saved = ran(folder, "--laptime-save", "main")
    assert saved.returncode == 0, saved.stdout + saved.stderr
    assert "test_it.py::test_sum: <laptime.Benchmark sum: " in saved.stdout
    kept = folder / ".laptime" / "benchmarks" / "main.json"
    found = json.loads(kept.read_text())
    one = found["benchmarks"][0]
    # A baseline a thousand times as fast: whatever the machine does, this run is slower.
    one["samples_ns"] = [ns / 1000 for ns in one["samples_ns"]]
    kept.write_text(json.dumps(found))
    compared = ran(folder, "--laptime-compare", "main")
    assert compared.returncode == 1, compared.stdout
    assert "times as long as the baseline" in compared.stdout


def test_files_of_pytest_benchmark_are_a_baseline(folder: Path) -> None:
    data = [1e-9 + index * 1e-12 for index in range(40)]
    one = {"name": "test_sum", "fullname": "test_it.py::test_sum", "stats": {"data": data}}
    (folder / "theirs.json").write_text(json.dumps({"benchmarks": [one]}))
    compared = ran(folder, "--laptime-compare", "theirs.json")
    assert compared.returncode == 1, compared.stdout
    assert "times as long as the baseline" in compared.stdout


def test_a_baseline_that_is_not_there_ends_the_run_with_what_to_do(folder: Path) -> None:
    compared = ran(folder, "--laptime-compare", "main")
    assert compared.returncode == 4
    assert "--laptime-save main writes one" in compared.stderr


def test_a_run_without_the_fixture_is_left_alone(folder: Path) -> None:
    (folder / "test_it.py").write_text("def test_it(): pass\n")
    left = ran(folder)
    assert left.returncode == 0
    assert "laptime" not in left.stdout
