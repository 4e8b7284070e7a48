"""What the machine reaches at most: measured once, kept, and always said where from.

When it is measured again is tested in laptime-recorder. A measurement takes two seconds of all
processors, and more while they are busy; torch's takes ten.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from warm import Warm

# Measured once for all tests.
pytestmark = pytest.mark.xdist_group("ceilings")


def run(code: str, home: Path, python: str | Path = sys.executable) -> str:
    """Runs a program whose cache folder is below `home`; what it printed."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(home)}
    done = subprocess.run(
        [python, "-c", code], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


PRINT = "import laptime as lt; print(lt.ceilings().to_json())"


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A home in which the processor was measured, and what the program said that did it."""
    home = tmp_path_factory.mktemp("measured")
    return home, run(f"{PRINT}; import sys; print('torch' in sys.modules)", home).strip()


@pytest.fixture
def home(measured: tuple[Path, str], tmp_path: Path) -> Path:
    """A home of the test's own where they are kept already."""
    shutil.copytree(measured[0], tmp_path, dirs_exist_ok=True)
    return tmp_path


def kept(home: Path) -> Path:
    (path,) = (home / "laptime").glob("ceilings-*.json")
    return path


def quiet(home: Path) -> None:
    """Makes every kept ceiling one of a quiet machine, which nobody measures again."""
    ceilings = json.loads(kept(home).read_text())
    ceilings["taken_realtime_ns"] = 1
    for ceiling in ceilings["all"]:
        ceiling["per_s"] = 7.0
        ceiling["origin"]["instructions"] |= {"cpu_ratio": 1.0, "median_ratio": 0.95, "tries": 1}
    kept(home).write_text(json.dumps(ceilings))


def test_the_processor_is_measured_once_and_kept(home: Path, measured: tuple[Path, str]) -> None:
    first = json.loads(measured[1].rpartition("\n")[0])
    assert json.loads(kept(home).read_text()) == first
    assert {"bytes"} <= {bound for one in first["all"] if isinstance(bound := one["bound"], str)}
    assert all("instructions" in ceiling["origin"] for ceiling in first["all"])
    quiet(home)
    again = json.loads(run(PRINT, home))
    assert again["taken_realtime_ns"] == 1
    assert {ceiling["per_s"] for ceiling in again["all"]} == {7.0}


def test_no_framework_is_imported(measured: tuple[Path, str]) -> None:
    assert measured[1].rpartition("\n")[2] == "False"


#: Of small products, once through: what they reach is no matter here.
WITH_TORCH = """
import json, os, torch, laptime as lt
from laptime import _ceilings
_ceilings._SIZES, _ceilings._ROUNDS = (32, 64), 1
torch.set_num_threads(1)
ceilings = lt.ceilings()
peak, memory = ceilings.get("float32"), ceilings.get(None)
print(json.dumps({
    "first": [peak.origin, peak.label],
    "memory": [memory.dtype, memory.per_s == ceilings.bytes_per_s()],
    "unknown": ceilings.flop_per_s("float7"),
    "samples": [peak.samples >= 5, 0 < peak.median_ratio <= 1],
    "marked": str(ceilings).count("*") >= 3,
    "threads": [peak.threads == len(os.sched_getaffinity(0)), torch.get_num_threads()],
    "how": [peak.is_disturbed in (True, False), f"on {peak.threads} threads" in peak.how],
}))
"""


@pytest.fixture(scope="module")
def told(
    measured: tuple[Path, str], tmp_path_factory: pytest.TempPathFactory, warm: Warm
) -> dict[str, Any]:
    """What a program tells that has torch and computes with one thread.

    Once for both tests: torch's products keep all processors busy.
    """
    home = tmp_path_factory.mktemp("with-torch")
    shutil.copytree(measured[0], home, dirs_exist_ok=True)
    quiet(home)
    answer: dict[str, Any] = json.loads(run(WITH_TORCH, home, warm.python))
    return answer


def test_what_torch_reaches_comes_first_where_it_is_imported(told: dict[str, Any]) -> None:
    assert told["first"] == ["framework", "measured float32 matmul peak of cpu"]
    assert told["memory"] == [None, True]
    assert told["unknown"] is None
    assert told["samples"] == [True, True]
    assert told["marked"]


def test_a_program_that_computes_with_one_thread_learns_what_all_processors_reach(
    told: dict[str, Any],
) -> None:
    assert told["threads"] == [True, 1]
    assert told["how"] == [True, True]


def test_the_command_shows_them(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "laptime", "doctor", "--ceilings", "--json"],
        env={**os.environ, "XDG_CACHE_HOME": str(home)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert {"machine", "taken_realtime_ns", "all", "absent"} <= json.loads(done.stdout).keys()


def test_a_launch_where_there_is_no_torch_does_not_measure_again(home: Path, tmp_path: Path):
    (tmp_path / "sitecustomize.py").write_text("import sys; sys.modules['torch'] = None\n")
    (tmp_path / "program.py").write_text("print('ran')\n")
    quiet(home)
    paths = {"PYTHONPATH": str(tmp_path), "XDG_CACHE_HOME": str(home)}
    done = subprocess.run(
        [sys.executable, "-m", "laptime", "run", "--ops", "program.py"],
        cwd=tmp_path,
        env={**os.environ, **paths},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "ran\n"
    assert "measuring" not in done.stderr
