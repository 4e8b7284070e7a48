"""What the dry run left, which `make gpu-dry` or `make gpu-dry-three` made just before."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import runner

EVIDENCE = Path(__file__).parents[2] / ".build/gpu-dry-evidence"

#: Those whose figures don't depend on the machine: on the fakes' clock they are exact.
EXACT = {
    "no_context",
    "matmul",
    "small_kernels",
    "graph_capture",
    "nested_memory",
    "phases",
    "emit_nvtx",
    "ncu",
}

#: What fakes can't say: no kernel reaches the real profiler, which Laptime drives there.
LEFT_OUT = {"callback", "deep_mode"}


@pytest.fixture(scope="module")
def rows() -> dict[str, dict[str, object]]:
    told = json.loads((EVIDENCE / "gpu.json").read_text())
    assert told["dry"] is True
    return {row["name"]: row for row in told["experiments"]}


def test_every_experiment_came_to_a_verdict(rows: dict[str, dict[str, object]]) -> None:
    asked = {"cost_rust", "graph_capture", "nested_memory"}
    # In their order: all of them, or the three of `make test`.
    assert list(rows) == [name for name in runner.EXPERIMENTS if name in rows]
    assert set(rows) in (asked, set(runner.EXPERIMENTS))
    without = {name for name, row in rows.items() if row["state"] not in ("met", "missed")}
    assert without == LEFT_OUT & set(rows), rows


def test_what_the_fakes_tell_exactly_is_as_it_should_be(rows: dict[str, dict[str, object]]) -> None:
    wrong = {name: rows[name] for name in EXACT & set(rows) if rows[name]["state"] != "met"}
    assert not wrong


def test_each_lap_was_timed_on_the_device(rows: dict[str, dict[str, object]]) -> None:
    for name in {"cost_rust", "cost_python"} & set(rows):
        figures = rows[name]["figures"]
        assert isinstance(figures, dict)
        assert figures["laps_timed_ratio"] == 1, rows[name]


def test_the_page_says_that_it_is_a_dry_run() -> None:
    assert "**A dry run on fakes.**" in (EVIDENCE / "gpu.md").read_text()
