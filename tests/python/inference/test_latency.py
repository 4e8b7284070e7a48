"""`lt.bench_inference` on the CPU: what it measures, what it is given, how it is shown."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

import laptime as lt

np = pytest.importorskip("numpy")


def sleeps(x: Any) -> Any:
    """1 ms for each sample."""
    time.sleep(0.001 * len(x))
    return x


def test_a_planted_latency_is_found_and_grows_with_the_batch() -> None:
    found = lt.bench_inference(sleeps, np.ones((3, 2)), batch_sizes=[8, 1], budget=0.1)
    assert list(found) == found.batch_sizes == [1, 8]
    assert len(found) == 2
    for batch in found:
        case = found[batch]
        assert case.p50_ns is not None
        assert case.p50_ns >= 1e6 * batch
        assert case.samples_per_s == pytest.approx(batch / case.p50_ns * 1e9)
        assert case.first_ns is not None
        assert case.first_ns >= 1e6 * batch
        assert case.warmup is not None
        assert case.warmup >= 1
        assert case.calls == len(case.samples)


def test_numbers_and_their_intervals_are_handed_over(clock: Any) -> None:
    calls = 0

    def compiles(x: Any) -> None:
        """Takes 0.3 s at first, then 1 ms and up to 1 % more."""
        nonlocal calls
        calls += 1
        clock.work(0.3 if calls == 1 else 0.001 + 1e-7 * (calls % 101))

    case = lt.bench_inference(compiles, np.ones((4, 2)), budget=2.0)[4]
    assert case.calls == len(case.samples) == 1_000
    # The first call is told apart, and isn't taken from the budget.
    assert case.warmup == 1
    assert case.first_ns == pytest.approx(0.3e9, rel=1e-3)
    assert case.first_ratio == pytest.approx(case.first_ns / case.p50_ns)
    all_ns = (case.p50_ns, case.p90_ns, case.p99_ns, case.max_ns)
    assert list(all_ns) == sorted(all_ns)
    assert all_ns == pytest.approx([1.005e6, 1.009e6, 1.01e6, 1.01e6], rel=2e-3)
    for value, interval in [
        (case.p50_ns, case.p50_ci),
        (case.p90_ns, case.p90_ci),
        (case.p99_ns, case.p99_ci),
    ]:
        assert interval is not None
        assert interval[0] <= value <= interval[1]
    assert case.samples_per_s == pytest.approx(4e9 / case.p50_ns)
    assert case.why("p99_ns") is None
    assert case.warnings == []


def test_a_first_call_may_be_longer_than_the_budget(clock: Any) -> None:
    clock_of_calls = iter([0.3])
    case = lt.bench_inference(
        lambda x: clock.work(next(clock_of_calls, 0.001)), np.ones((1, 2)), budget=0.1
    )[1]
    assert case.calls is not None
    assert case.calls > 90


def test_the_knee_is_a_batch_size_or_none_with_its_reason(clock: Any) -> None:
    seconds = {1: 0.01, 4: 0.01, 8: 0.05}

    def bench(sizes: list[int]) -> lt.InferenceBenchmark:
        x = np.ones((1, 2))
        return lt.bench_inference(
            lambda x: clock.work(seconds[len(x)]), x, batch_sizes=sizes, budget=0.5
        )

    found = bench([1, 4, 8])
    assert found.knee == 4
    assert found.knees == {"cpu": 4}
    assert found.why_no_knee() is None
    assert found.headline.startswith("Batch 4 is the knee: ")
    found = bench([1, 4])
    assert found.knee is None
    assert "still rises at 4" in (found.why_no_knee() or "")


def test_an_absent_number_is_none_with_its_reason(clock: Any) -> None:
    case = lt.bench_inference(lambda x: clock.work(0.01), np.ones((1, 2)), budget=0.2)[1]
    assert case.p50_ns is not None
    assert case.p99_ns is None
    assert "100 are needed" in (case.why("p99_ns") or "")
    assert any("p99 is absent" in said for said in case.warnings)
    with pytest.raises(ValueError, match="expected one of first_ns"):
        case.why("p42_ns")


def test_a_batch_is_made_of_the_samples_in_order() -> None:
    seen: dict[int, Any] = {}

    def model(ids: Any, *, mask: Any, flag: bool) -> None:
        assert flag
        assert (ids == mask).all()
        seen[len(ids)] = ids[:, 0].tolist()

    column = np.arange(3)[:, None]
    x = {"ids": column, "mask": column, "flag": True}
    lt.bench_inference(model, x, batch_sizes=[2, 3, 7], budget=0.01)
    assert seen == {2: [0, 1], 3: [0, 1, 2], 7: [0, 1, 2, 0, 1, 2, 0]}


def test_tuples_are_positional_and_lists_are_one_argument() -> None:
    one = np.ones((2, 3))
    lt.bench_inference(lambda a, b: a @ b.T, (one, one), budget=0.01)
    lt.bench_inference(lambda pair: pair[0] @ pair[1].T, [one, one], budget=0.01)
    found = lt.bench_inference(lambda a: a, one, budget=0.01)
    assert found.batch_sizes == [2]
    assert 2 in found
    assert ("cpu", 2) in found
    assert 3 not in found
    with pytest.raises(KeyError, match="no such case: 3; there is"):
        found[3]


@pytest.mark.parametrize(
    ("x", "error", "message"),
    [
        ("text", TypeError, "found str without a tensor"),
        ([1, 2], TypeError, "found list without a tensor"),
        (np.float64(1.0), ValueError, "x has no dimension"),
        ((np.ones((2, 3)), np.ones((4, 3))), ValueError, r"x\[0\] has 2 samples and x\[1\] has 4"),
        ({"ids": np.ones((0, 3))}, ValueError, r"x\['ids'\] has no sample"),
    ],
)
def test_what_is_no_batch_is_refused_with_its_place(
    x: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        lt.bench_inference(len, x)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"batch_sizes": []}, "one or more"),
        ({"batch_sizes": [4, 0]}, "at least 1, not 0"),
        ({"budget": 0}, "above 0, not 0"),
        ({"rate": -1.0}, "above 0"),
        ({"rate": 1.0, "arrivals": "bursts"}, '"poisson" or "constant", not "bursts"'),
        ({"tokens": 0}, "above 0, not 0"),
    ],
)
def test_wrong_options_are_refused_before_the_model_runs(
    options: dict[str, Any], message: str
) -> None:
    def model(_: Any) -> None:
        raise AssertionError("it was called")

    with pytest.raises(ValueError, match=message):
        lt.bench_inference(model, np.ones((1, 2)), **options)
    with pytest.raises(TypeError, match="something to call, not str"):
        lt.bench_inference("model", np.ones((1, 2)))  # type: ignore[arg-type]


def test_tokens_are_told_by_a_number_or_by_the_output() -> None:
    x = np.ones((2, 3))
    case = lt.bench_inference(lambda x: x, x, tokens=10, budget=0.02)[2]
    assert case.p50_ns is not None
    assert case.tokens_per_s == pytest.approx(20e9 / case.p50_ns)
    case = lt.bench_inference(lambda x: x, x, tokens=lambda out: out.size, budget=0.02)[2]
    assert case.p50_ns is not None
    assert case.tokens_per_s == pytest.approx(6e9 / case.p50_ns)
    case = lt.bench_inference(lambda x: x, x, budget=0.02)[2]
    assert case.tokens_per_s is None
    assert "tokens=" in (case.why("tokens_per_s") or "")


@pytest.mark.parametrize(("keeps_prompt", "new"), [(True, 5), (False, 8)])
def test_tokens_of_generate_are_those_that_are_new(keeps_prompt: bool, new: int) -> None:
    torch = pytest.importorskip("torch")

    def generate(ids: Any) -> Any:
        made = torch.zeros((len(ids), 5 if keeps_prompt else 8), dtype=torch.int64)
        return torch.cat([ids, made], dim=1) if keeps_prompt else made

    prompt = torch.tensor([[5, 6, 7]])
    case = lt.bench_inference(generate, prompt, batch_sizes=[4], budget=0.02)[4]
    assert case.p50_ns is not None
    assert case.tokens_per_s == pytest.approx(4 * new * 1e9 / case.p50_ns)


def test_work_that_is_not_done_is_said() -> None:
    found = lt.bench_inference(lambda x: (one for one in x), np.ones((1, 2)), budget=0.01)
    assert any("generator" in said for said in found.warnings)
    assert "generator" in str(found)


def test_the_result_is_shown_in_every_form(
    clock: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = lt.bench_inference(
        lambda x: clock.work(0.001), np.ones((2, 2)), batch_sizes=[1, 2], rate=500, budget=0.1
    )
    assert str(found).startswith(found.headline)
    assert "<table>" in found._repr_mimebundle_()["text/html"]
    assert set(found._repr_mimebundle_(include=["text/plain"])) == {"text/plain"}
    assert "| batch |" in (found.to_markdown() or "")
    told = found.to_dict()
    assert told["schema"] == "laptime-inference"
    assert told["cases"][0]["p50_ns"] == found[1].p50_ns
    assert told["cases"][0]["unavailable"]["transfer_in_ns"]
    assert told["cases"][1]["load"]["rate_per_s"] == 500
    assert found.to_json(tmp_path / "found.json") is None
    written = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert written == json.loads(found.to_json() or "") == told
    found.to_markdown(tmp_path / "found.md")
    assert (tmp_path / "found.md").read_text() == found.to_markdown()
    assert repr(found).startswith("<laptime.InferenceBenchmark test_the_result_is_shown")
    # The terminal is as wide as the program's.
    monkeypatch.setenv("COLUMNS", "80")
    assert "left out to fit the width: " in str(found)
    monkeypatch.setenv("COLUMNS", "200")
    assert "left out" not in str(found)


def test_what_is_saved_is_compared_by_batch_size(clock: Any, tmp_path: Path) -> None:
    def save(name: str, row_s: float) -> lt.InferenceBenchmark:
        def model(x: Any) -> None:
            # No two calls take the same time.
            clock.work(row_s * len(x) * (1 + 1e-3 * (round(clock.seconds * 1e6) % 7)))

        found = lt.bench_inference(model, np.ones((1, 2)), batch_sizes=[1, 2], budget=0.1)
        found.save(tmp_path / name)
        return found

    found = save("before.json", 0.001)
    told = json.loads((tmp_path / "before.json").read_text())
    assert [one["samples_ns"] for one in told["benchmarks"]] == [
        case.samples for case in found.cases
    ]
    save("after.json", 0.003)
    compared = lt.compare(tmp_path / "before.json", tmp_path / "after.json")
    assert [row.path.rpartition("model ")[2] for row in compared.rows] == [
        "batch 1 cpu",
        "batch 2 cpu",
    ]
    assert compared.verdict == "slower"


def test_an_error_of_the_model_goes_on() -> None:
    with pytest.raises(ZeroDivisionError):
        lt.bench_inference(lambda x: 1 // 0, np.ones((1, 2)))
