"""Memory that grows, told by a run without an option, and programs that only seem to leak.

Each runs for four seconds. What is kept follows the clock alone, so that a busy machine changes
nothing.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

STEPS = """
import mmap, time
import laptime as lt

SECONDS = 4.0
kept = []

def fill(kept, parts, part):
    while len(kept) < parts * part:
        kept.append(b"x" * 1_000_000)

PREPARE
began = time.monotonic()
for step in lt.track(range(100_000), "step"):
    part = (time.monotonic() - began) / SECONDS
    if part > 1.0:
        break
    sum(range(200_000))
    STEP
END
"""

PLAIN = """
import mmap, time

SECONDS = 4.0
kept = []

def fill(kept, parts, part):
    while len(kept) < parts * part:
        kept.append(b"x" * 1_000_000)

def serve():
    began = time.monotonic()
    while (part := (time.monotonic() - began) / SECONDS) < 1.0:
        sum(range(200_000))
        ROUND

serve()
"""

# Of a mapping each page is touched that the run has come to.
TOUCHED = (
    "for at in range(len(kept) * 4096, int(300e6 * part), 4096): area[at] = 1; kept.append(at)"
)

CLEAN = {
    "a cache that fills and stops": ("", "fill(kept, 400, min(part, 0.6))", ""),
    "an evaluation late": ("", "fill(kept, 300, 1 if part > 0.8 else 0)", ""),
    "memory that is freed again, long before the end": (
        "",
        "fill(kept, 300, part)",
        "kept.clear(); time.sleep(1.5)",
    ),
    "memory that is touched little by little": ("area = mmap.mmap(-1, 1 << 29)", TOUCHED, ""),
    "memory that comes and goes": (
        "",
        "kept.clear() if len(kept) > 150 else fill(kept, 1, len(kept) + 5)",
        "",
    ),
}

CLEAN_PLAIN = {
    "data that are loaded, then used": "fill(kept, 600, min(part, 0.4))",
    "a cache that fills less and less": "fill(kept, 100, 1 - 2.0 ** (-10 * part))",
    "memory that comes and goes": "kept.clear() if part % 0.1 < 0.02 else fill(kept, 99, 1)",
    "a large array late": "fill(kept, 200, 1 if part > 0.9 else 0)",
}


def program(prepare: str, step: str, end: str) -> str:
    return STEPS.replace("PREPARE", prepare).replace("STEP", step).replace("END", end)


def findings(folder: Path, code: str, *options: str) -> list[dict[str, Any]]:
    """What a run without an option finds, but for `options`."""
    (folder / "train.py").write_text(code)
    laptime = [sys.executable, "-m", "laptime"]
    words = ["run", "-o", "train.lap", *options, "train.py"]
    subprocess.run([*laptime, *words], cwd=folder, check=True, capture_output=True, timeout=200)
    report = subprocess.run(
        [*laptime, "report", "-f", "json", "train.lap"],
        cwd=folder,
        check=True,
        capture_output=True,
        timeout=100,
    )
    return json.loads(report.stdout)["findings"]


def kinds(found: list[dict[str, Any]]) -> set[str]:
    return {one["kind"] for one in found}


def test_steps_that_leave_memory_are_told_by_a_run_without_an_option(tmp_path: Path) -> None:
    leak = program("", "fill(kept, 300, part)", "")
    (found,) = [one for one in findings(tmp_path, leak) if one["kind"] == "resident-growth"]
    assert found["next"]["argv"][:3] == ["laptime", "run", "--memory"]
    growth = found["evidence"]
    assert growth["path"] == "step"
    assert 0.5 * 300e6 < growth["risen_bytes"] < 1.1 * 300e6
    assert growth["uncertainty_bytes"] <= 0.2 * growth["each_bytes"]
    each = growth["each_bytes"] * growth["step_count"]
    assert abs(each - growth["risen_bytes"]) <= growth["each_bytes"]


def test_where_allocations_are_counted_the_lap_is_named_and_it_is_told_once(tmp_path: Path) -> None:
    leak = program("", "fill(kept, 300, part)", "")
    found = kinds(findings(tmp_path, leak, "--memory"))
    assert "memory-growth" in found
    assert "resident-growth" not in found


@pytest.mark.parametrize("what", CLEAN)
def test_a_program_that_keeps_nothing_is_not_accused(tmp_path: Path, what: str) -> None:
    assert "resident-growth" not in kinds(findings(tmp_path, program(*CLEAN[what])))


def test_a_program_without_steps_is_told_per_second_with_what_ran_meanwhile(tmp_path: Path) -> None:
    code = PLAIN.replace("ROUND", "fill(kept, 80, part)")
    (growth,) = [one for one in findings(tmp_path, code) if one["kind"] == "resident-growth"]
    growth = growth["evidence"]
    assert "path" not in growth
    assert abs(growth["each_bytes"] - 20e6) < 0.2 * 20e6
    assert growth["busy_function"]["name"] == "serve"


@pytest.mark.parametrize("what", CLEAN_PLAIN)
def test_a_program_without_steps_that_keeps_nothing_more_is_not_told(
    tmp_path: Path, what: str
) -> None:
    code = PLAIN.replace("ROUND", CLEAN_PLAIN[what])
    assert "resident-growth" not in kinds(findings(tmp_path, code))
