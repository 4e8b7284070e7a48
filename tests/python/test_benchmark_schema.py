"""Files of benchmarks are what the published schema describes, and nothing more."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import laptime as lt

LAPTIME = [sys.executable, "-m", "laptime"]
DOCS = Path(__file__).parents[2] / "docs"
SCHEMA: dict[str, Any] = json.loads((DOCS / "benchmark.schema.json").read_text())


def test_a_function_s_file(tmp_path: Path) -> None:
    found = lt.bench.options(budget=0.05, memory=True)(lambda: bytearray(1000))
    found.save(tmp_path / "kept.json")
    written = json.loads((tmp_path / "kept.json").read_text())
    jsonschema.validate(written, SCHEMA)
    assert written["benchmarks"][0]["host_memory_peak_bytes"] >= 1000


def test_a_file_of_functions_that_took_turns(tmp_path: Path) -> None:
    found = lt.compare({"one": lambda: None, "other": lambda: sum(range(9))}, budget=0.1)
    found.save(tmp_path / "kept.json")
    written = json.loads((tmp_path / "kept.json").read_text())
    jsonschema.validate(written, SCHEMA)
    assert len(written["verdicts"]) == 1


def test_a_file_of_commands(tmp_path: Path) -> None:
    typed = [*LAPTIME, "bench", "-r", "3", "-o", "kept.json", "true", "false; true"]
    subprocess.run(typed, cwd=tmp_path, check=True, capture_output=True)
    written = json.loads((tmp_path / "kept.json").read_text())
    jsonschema.validate(written, SCHEMA)
    assert [one["command"] for one in written["benchmarks"]] == ["true", "false; true"]
    assert len(written["verdicts"]) == 1
    for one in written["benchmarks"]:
        assert set(one["machine"]) == {"processor", "cores", "system"}


def test_commands_have_their_parameters_and_whether_a_shell_ran_them(tmp_path: Path) -> None:
    typed = [*LAPTIME, "bench", "-N", "-r", "1", "-L", "n", "1,2", "-o", "kept.json", "true {n}"]
    subprocess.run(typed, cwd=tmp_path, check=True, capture_output=True)
    written = json.loads((tmp_path / "kept.json").read_text())
    jsonschema.validate(written, SCHEMA)
    assert [one["parameters"] for one in written["benchmarks"]] == [{"n": "1"}, {"n": "2"}]
    assert not any(one["shell"] for one in written["benchmarks"])


def test_it_says_no_to_what_is_none(tmp_path: Path) -> None:
    for wrong in [{}, {"schema": "laptime-benchmark", "version": 1, "benchmarks": [{"name": 1}]}]:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, SCHEMA)
