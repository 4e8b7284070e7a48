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
    found = lt.bench_inference(sleeps, np.ones((3, 2)), batch_sizes=[8, 1], budget=0.5)
    assert list(found) == found.batch_sizes == [1, 8]
    assert len(found) == 2
    for batch in found:
        case = found[batch]
        assert case.p50_ns is not None
        assert case.p50_ns >= 1e6 * batch
        assert case.p50_ci is not None
        low, high = case.p50_ci
        assert low <= case.p50_ns <= high
        assert case.samples_per_s == pytest.approx(batch / case.p50_ns * 1e9)
        assert case.samples_per_s <= 1_000
        assert case.first_ns is not None
        assert case.first_ns >= 1e6 * batch
        assert case.warmup is not None
        assert case.warmup >= 1
        assert case.calls == len(case.samples)


def test_the_knee_is_where_throughput_rises_no_more() -> None:
    seconds = {1: 0.01, 4: 0.01, 8: 0.05}
    found = lt.bench_inference(
        lambda x: time.sleep(seconds[len(x)]), np.ones((1, 2)), batch_sizes=[1, 4, 8], budget=0.5
    )
    assert found.knee == 4
    assert found.knees == {"cpu": 4}
    assert found.why_no_knee() is None
    assert str(found).startswith("Batch 4 is the knee: ")


def test_throughput_that_rises_to_the_largest_batch_has_no_knee_and_says_so() -> None:
    found = lt.bench_inference(
        lambda x: time.sleep(0.005), np.ones((1, 2)), batch_sizes=[1, 4, 16], budget=0.3
    )
    assert found.knee is None
    assert "still rises at 16" in (found.why_no_knee() or "")
    assert "still rises at batch 16, the largest" in found.headline


def test_too_few_calls_have_no_99th_percentile_and_say_so() -> None:
    found = lt.bench_inference(lambda x: time.sleep(0.01), np.ones((1, 2)), budget=0.2)
    case = found[1]
    assert case.p50_ns is not None
    assert case.p99_ns is None
    assert "too few to tell the 99th percentile; 100 are needed" in (case.why("p99_ns") or "")
    assert any("p99 is absent" in said for said in case.warnings)
    with pytest.raises(ValueError, match="expected one of first_ns"):
        case.why("p42_ns")


def test_many_calls_have_every_percentile_with_its_interval() -> None:
    found = lt.bench_inference(lambda x: x.sum(), np.ones((4, 100)), budget=1.0)[4]
    assert found.calls is not None
    assert found.calls >= 368
    all_ns = (found.p50_ns, found.p90_ns, found.p99_ns, found.max_ns)
    assert None not in all_ns
    assert list(all_ns) == sorted(all_ns)  # type: ignore[type-var]
    for value, interval in [
        (found.p90_ns, found.p90_ci),
        (found.p99_ns, found.p99_ci),
    ]:
        assert value is not None
        assert interval is not None
        assert interval[0] <= value <= interval[1]


def test_the_first_call_is_told_apart_and_may_be_longer_than_the_budget() -> None:
    calls = 0

    def compiles(x: Any) -> None:
        nonlocal calls
        calls += 1
        time.sleep(0.3 if calls == 1 else 0.001)

    case = lt.bench_inference(compiles, np.ones((1, 2)), budget=0.1)[1]
    assert case.first_ns is not None
    assert case.p50_ns is not None
    assert case.first_ns >= 0.3e9
    assert case.first_ratio == pytest.approx(case.first_ns / case.p50_ns)
    assert case.calls is not None
    assert case.calls > 5


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
    case = lt.bench_inference(lambda x: x, x, tokens=10, budget=0.05)[2]
    assert case.p50_ns is not None
    assert case.tokens_per_s == pytest.approx(20e9 / case.p50_ns)
    case = lt.bench_inference(lambda x: x, x, tokens=lambda out: out.size, budget=0.05)[2]
    assert case.p50_ns is not None
    assert case.tokens_per_s == pytest.approx(6e9 / case.p50_ns)
    case = lt.bench_inference(lambda x: x, x, budget=0.05)[2]
    assert case.tokens_per_s is None
    assert "tokens=" in (case.why("tokens_per_s") or "")


@pytest.mark.parametrize(("keeps_prompt", "new"), [(True, 5), (False, 8)])
def test_tokens_of_generate_are_those_that_are_new(keeps_prompt: bool, new: int) -> None:
    torch = pytest.importorskip("torch")

    def generate(ids: Any) -> Any:
        made = torch.zeros((len(ids), 5 if keeps_prompt else 8), dtype=torch.int64)
        return torch.cat([ids, made], dim=1) if keeps_prompt else made

    prompt = torch.tensor([[5, 6, 7]])
    case = lt.bench_inference(generate, prompt, batch_sizes=[4], budget=0.05)[4]
    assert case.p50_ns is not None
    assert case.tokens_per_s == pytest.approx(4 * new * 1e9 / case.p50_ns)


def test_work_that_is_not_done_is_said() -> None:
    found = lt.bench_inference(lambda x: (one for one in x), np.ones((1, 2)), budget=0.01)
    assert any("generator" in said for said in found.warnings)
    assert "generator" in str(found)


def test_the_result_is_shown_in_every_form(tmp_path: Path) -> None:
    found = lt.bench_inference(np.sum, np.ones((2, 2)), batch_sizes=[1, 2], rate=500, budget=0.1)
    lines = str(found).splitlines()
    assert lines[0] == found.headline.splitlines()[0]
    assert any(line.startswith("batch") for line in lines)
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
    assert repr(found).startswith("<laptime.InferenceBenchmark sum: ")


def test_a_narrow_terminal_has_fewer_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    found = lt.bench_inference(np.sum, np.ones((2, 2)), batch_sizes=[1, 2], rate=500, budget=0.1)
    monkeypatch.setenv("COLUMNS", "80")
    lines = str(found).splitlines()
    first = next(at for at, line in enumerate(lines) if line.startswith("batch"))
    assert all(len(line) <= 80 for line in lines[first : first + 8])
    assert "Left out to fit the width: 95 % of p99, p90" in str(found)
    monkeypatch.setenv("COLUMNS", "200")
    assert "Left out" not in str(found)


def test_what_is_saved_is_compared_by_batch_size(tmp_path: Path) -> None:
    found = lt.bench_inference(sleeps, np.ones((1, 2)), batch_sizes=[1, 2], budget=0.3)
    found.save(tmp_path / "before.json")
    told = json.loads((tmp_path / "before.json").read_text())
    assert [one["samples_ns"] for one in told["benchmarks"]] == [
        case.samples for case in found.cases
    ]
    # Steady samples in their place: a machine that others use may have slowed down meanwhile.
    for name, ns in (("before", 1e6), ("after", 3e6)):
        for one in told["benchmarks"]:
            one["samples_ns"] = [ns * (1 + 1e-3 * (call % 7)) for call in range(40)]
        (tmp_path / f"{name}.json").write_text(json.dumps(told))
    compared = lt.compare(tmp_path / "before.json", tmp_path / "after.json")
    assert [row.path for row in compared.rows] == ["sleeps batch 1 cpu", "sleeps batch 2 cpu"]
    assert compared.verdict == "slower"


def test_an_error_of_the_model_goes_on() -> None:
    with pytest.raises(ZeroDivisionError):
        lt.bench_inference(lambda x: 1 // 0, np.ones((1, 2)))
