"""`lt.compare` on functions: verdicts on a scripted clock, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import laptime as lt


def nothing() -> None: ...


@pytest.fixture
def contest(clock: Any) -> Any:
    """Compares functions that take so many microseconds each, and up to 2 % more or less."""

    def compare(**microseconds: float) -> lt.FunctionComparison:
        calls = 0

        def work(us: float) -> None:
            nonlocal calls
            calls += 1
            clock.work(us * 1e-6 * (1 + 2e-2 * (calls * 7_919 % 101 / 50 - 1)))

        functions = {name: lambda us=us: work(us) for name, us in microseconds.items()}
        return lt.compare(functions, budget=0.2, seed=1)

    return compare


def test_a_function_that_does_three_times_as_much_is_slower(contest: Any) -> None:
    found = contest(one=10, three=30)
    assert found.verdict == "slower"
    assert found["three"].ratio == pytest.approx(3, rel=0.02)
    assert found.headline.startswith("three takes ")
    assert str(found).startswith(found.headline)
    assert found.noise_ratio is not None
    assert found.rounds > 1
    assert found.ending == "clear"
    assert "| three |" in found.to_markdown()
    assert set(found._repr_mimebundle_()) == {"text/plain", "text/html", "text/markdown"}


def test_a_contest_is_saved_as_benchmarks_with_their_verdicts(contest: Any, tmp_path: Path) -> None:
    found = contest(one=10, three=30)
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


def test_each_pair_has_a_verdict(contest: Any) -> None:
    found = contest(a=5, b=20, c=20)
    assert {pair: verdict.verdict for pair, verdict in found.verdicts.items()} == {
        ("a", "b"): "slower",
        ("a", "c"): "slower",
        ("b", "c"): "same",
    }
    assert found["b", "c"].ratio == pytest.approx(1, rel=0.02)
    with pytest.raises(KeyError, match="no such pair"):
        found["d"]


def test_contenders_take_turns(clock: Any) -> None:
    seen: list[str] = []

    def seen_as(letter: str) -> Any:
        return lambda: seen.append(letter) or clock.work(0.001)

    lt.compare({"a": seen_as("x"), "b": seen_as("y")}, budget=0.3)
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
        lt.compare({"a": nothing})
    with pytest.raises(ValueError, match="above 0"):
        lt.compare({"a": nothing, "b": nothing}, budget=0)
    with pytest.raises(ValueError, match="threshold"):
        lt.compare({"a": nothing, "b": nothing}, threshold=0.0)


def test_a_budget_that_ends_before_all_ran_is_an_error(clock: Any) -> None:
    with pytest.raises(ValueError, match="larger budget"):
        lt.compare({"a": lambda: clock.work(0.05), "b": nothing}, budget=0.01)


def test_what_a_contender_raises_goes_on() -> None:
    with pytest.raises(ZeroDivisionError):
        lt.compare({"a": nothing, "b": lambda: 1 // 0}, budget=0.1)
