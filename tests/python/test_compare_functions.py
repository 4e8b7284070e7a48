"""`lt.compare` on functions: verdicts, and what it refuses."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

import laptime as lt


def busy(rounds: int) -> Any:
    def work() -> int:
        return sum(range(rounds))

    return work


def decided(functions: dict[str, Any], last: str, **options: Any) -> Any:
    """A contest that goes on for longer where a busy machine leaves it open."""
    for budget in (1.0, 5.0, 20.0):
        found = lt.compare(functions, budget=budget, **options)
        if found[last].verdict != "inconclusive":
            break
    return found


def test_a_function_that_does_twice_as_much_is_slower() -> None:
    found = decided({"one": busy(1000), "three": busy(3000)}, "three", seed=1)
    assert found.verdict == "slower"
    assert found["three"].ratio is not None
    assert found["three"].ratio > 1.5
    assert found.headline.startswith("three takes ")
    assert str(found).startswith(found.headline)
    assert found.noise_ratio is not None
    assert "Noise floor: one against itself" in str(found)
    assert "| three |" in found.to_markdown()
    assert set(found._repr_mimebundle_()) == {"text/plain", "text/html", "text/markdown"}


def test_a_contest_is_saved_as_benchmarks_with_their_verdicts(tmp_path: Path) -> None:
    found = lt.compare({"one": busy(1000), "three": busy(3000)}, budget=0.5)
    found.save(tmp_path / "kept.json")
    told = json.loads((tmp_path / "kept.json").read_text())
    assert told == json.loads(found.to_json())
    assert [one["name"] for one in told["benchmarks"]] == ["one", "three"]
    assert told["benchmarks"][1]["samples_ns"] == found.contenders["three"].samples
    assert told["benchmarks"][0]["machine"]["cores"] >= 1
    assert told["verdicts"][0]["base"] == "one"
    assert told["verdicts"][0]["verdict"] == found.verdict
    compared = lt.compare(tmp_path / "kept.json", tmp_path / "kept.json")
    assert {row.path for row in compared.rows} == {"one", "three"}
    done = subprocess.run(
        [sys.executable, "-m", "laptime", "compare", "kept.json", "kept.json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert "three" in done.stdout, done.stderr


def test_each_pair_has_a_verdict() -> None:
    found = decided({"a": busy(500), "b": busy(2000), "c": busy(8000)}, "c")
    assert set(found.verdicts) == {("a", "b"), ("a", "c"), ("b", "c")}
    assert found["c"].verdict == "slower"
    # A busy machine may leave one of three open.
    assert found["b", "c"].verdict in ("slower", "inconclusive")
    assert found["b", "c"].ratio > 2
    with pytest.raises(KeyError, match="no such pair"):
        found["d"]


def test_contenders_take_turns() -> None:
    seen: list[str] = []
    lt.compare(
        {"a": lambda: seen.append("x") or time.sleep(0.001), "b": lambda: seen.append("y")},
        budget=0.3,
    )
    text = "".join(seen)
    assert "xy" in text
    assert "yx" in text


def test_no_result_is_held_while_another_run_makes_its_own() -> None:
    class Made:
        alive = most = 0

        def __init__(self) -> None:
            Made.most = max(Made.most, Made.alive)
            Made.alive += 1

        def __del__(self) -> None:
            Made.alive -= 1

    lt.compare({"a": Made, "b": lambda: Made()}, budget=0.2)
    assert Made.most == 0


def test_one_function_and_a_budget_of_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="two functions or more"):
        lt.compare({"a": busy(1)})
    with pytest.raises(ValueError, match="above 0"):
        lt.compare({"a": busy(1), "b": busy(1)}, budget=0)
    with pytest.raises(ValueError, match="threshold"):
        lt.compare({"a": busy(1), "b": busy(1)}, threshold=0.0)


def test_a_budget_that_ends_before_all_ran_is_an_error() -> None:
    with pytest.raises(ValueError, match="larger budget"):
        lt.compare({"a": lambda: time.sleep(0.05), "b": busy(1)}, budget=0.01)


def test_what_a_contender_raises_goes_on() -> None:
    with pytest.raises(ZeroDivisionError):
        lt.compare({"a": busy(1), "b": lambda: 1 // 0}, budget=0.1)
