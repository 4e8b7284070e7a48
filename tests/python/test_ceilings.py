"""What the machine reaches at most: measured once, kept, and always said where from."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest


def run(code: str, home: Path) -> str:
    """Runs a program whose cache folder is below `home`; what it printed."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


PRINT = "import laptime as lt; print(lt.ceilings().to_json())"


def kept(home: Path) -> Path:
    (path,) = (home / "laptime").glob("ceilings-*.json")
    return path


def rewrite(home: Path, cpu_ratio: float, per_s: float) -> None:
    """Makes every kept ceiling one of a quiet or a busy machine."""
    ceilings = json.loads(kept(home).read_text())
    ceilings["taken_realtime_ns"] = 1
    for ceiling in ceilings["all"]:
        ceiling["per_s"] = per_s
        ceiling["origin"]["instructions"]["cpu_ratio"] = cpu_ratio
    kept(home).write_text(json.dumps(ceilings))


def test_the_processor_is_measured_once_and_kept(tmp_path: Path) -> None:
    first = json.loads(run(PRINT, tmp_path))
    assert json.loads(kept(tmp_path).read_text()) == first
    assert {"bytes"} <= {bound for one in first["all"] if isinstance(bound := one["bound"], str)}
    assert all("instructions" in ceiling["origin"] for ceiling in first["all"])
    rewrite(tmp_path, cpu_ratio=1.0, per_s=7.0)
    again = json.loads(run(PRINT, tmp_path))
    assert again["taken_realtime_ns"] == 1
    assert {ceiling["per_s"] for ceiling in again["all"]} == {7.0}


def test_what_a_busy_machine_reached_is_measured_again_and_the_better_one_kept(
    tmp_path: Path,
) -> None:
    run(PRINT, tmp_path)
    rewrite(tmp_path, cpu_ratio=0.5, per_s=7.0)
    again = json.loads(run(PRINT, tmp_path))
    assert again["taken_realtime_ns"] > 1
    assert min(ceiling["per_s"] for ceiling in again["all"]) > 7.0


def test_a_damaged_file_is_measured_anew(tmp_path: Path) -> None:
    run(PRINT, tmp_path)
    kept(tmp_path).write_text("{")
    again = json.loads(run(PRINT, tmp_path))
    assert json.loads(kept(tmp_path).read_text()) == again


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "laptime").write_text("a file where the folder would be")
    assert json.loads(run(PRINT, tmp_path))["all"]


def test_no_framework_is_imported(tmp_path: Path) -> None:
    code = "import sys, laptime as lt; lt.ceilings(); print('torch' in sys.modules)"
    assert run(code, tmp_path).strip() == "False"


def test_what_torch_reaches_comes_first_where_it_is_imported(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    code = """
import torch, laptime as lt
ceilings = lt.ceilings()
peak = ceilings.get("float32")
memory = ceilings.get(None)
print(peak.origin, peak.label, sep="|")
print(memory.dtype, memory.per_s == ceilings.bytes_per_s())
print(ceilings.flop_per_s("float7"), peak.samples >= 5, 0 < peak.median_ratio <= 1)
print(str(ceilings).count("*") >= 3)
"""
    lines = run(code, tmp_path).splitlines()
    assert lines[0] == "framework|measured float32 matmul peak of cpu"
    assert lines[1:] == ["None True", "None True True", "True"]


def test_the_command_shows_them(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "laptime", "doctor", "--ceilings", "--json"],
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert {"machine", "taken_realtime_ns", "all", "absent"} <= json.loads(done.stdout).keys()
