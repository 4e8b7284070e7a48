"""Latency of models: statistics, modes, gradients, batches."""

from __future__ import annotations

import re
from typing import Any, ClassVar

import pytest

import laptime as lt
from laptime.timing import benchmark_inference, print_inference_benchmark


def test_the_figures_fit_together() -> None:
    found = benchmark_inference(sorted, list(range(1000)), num_iterations=60, warmup=3)
    assert 0 < found["min_ms"] <= found["median_ms"] <= found["p90_ms"] <= found["p99_ms"]
    assert found["p99_ms"] <= found["max_ms"]
    assert found["min_ms"] <= found["mean_ms"] <= found["max_ms"]
    assert found["ci_low_ms"] is not None
    assert found["ci_high_ms"] is not None
    assert found["ci_low_ms"] <= found["median_ms"] <= found["ci_high_ms"]
    rate = found["throughput_samples_per_sec"]
    assert rate == pytest.approx(1000 / (found["mean_ms"] / 1e3))
    assert found["steady"] in (True, False)
    assert (found["num_iterations"], found["warmup"], found["batch_size"]) == (60, 3, 1000)


def test_warm_up_calls_are_made_and_not_counted() -> None:
    calls: list[object] = []
    found = benchmark_inference(calls.append, "input", num_iterations=5, warmup=7)
    assert calls == ["input"] * 12
    assert (found["batch_size"], found["device"]) == (1, "cpu")
    assert (found["steady"], found["ci_low_ms"] is None) == (None, True)
    assert "5 calls are too few" in str(found["steady_reason"])
    assert "5 values are too few" in str(found["ci_reason"])


@pytest.mark.parametrize("details", [False, True])
def test_the_layout(details: bool, capsys: pytest.CaptureFixture[str]) -> None:
    found = print_inference_benchmark(
        sorted, [3, 1, 2], num_iterations=30, model_name="MLP", details=details
    )
    low, high = found["ci_low_ms"], found["ci_high_ms"]
    rule = "-" * 40
    lines = capsys.readouterr().out.splitlines()
    assert lines[:6] == [
        "MLP Inference Benchmark:",
        rule,
        f"{'  Mean latency:':<23}{found['mean_ms']:.3f} ms",
        f"{'  Min latency:':<23}{found['min_ms']:.3f} ms",
        f"{'  Max latency:':<23}{found['max_ms']:.3f} ms",
        f"{'  Throughput:':<23}{found['throughput_samples_per_sec']:.1f} samples/sec",
    ]
    assert lines[-1] == rule
    if not details:
        assert len(lines) == 7
        return
    assert lines[6:10] == [
        f"{'  Median latency:':<23}{found['median_ms']:.3f} ms",
        f"{'  95% CI of median:':<23}{low:.3f} to {high:.3f} ms",
        f"{'  p90 latency:':<23}{found['p90_ms']:.3f} ms",
        f"{'  p99 latency:':<23}{found['p99_ms']:.3f} ms",
    ]
    assert re.match(r"  Steady: {14}(yes|no \(.*\))$", lines[10])


def test_a_model_in_training_mode_is_evaluated_and_every_part_gets_its_mode_back() -> None:
    torch = pytest.importorskip("torch")
    seen: list[tuple[bool, bool, bool]] = []

    class Model(torch.nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.frozen = torch.nn.BatchNorm1d(3).eval()
            self.linear = torch.nn.Linear(3, 2)

        def forward(self, x: Any) -> Any:
            out = self.linear(self.frozen(x))
            seen.append((self.training, self.linear.training, out.requires_grad))
            return out

    model = Model()
    found = benchmark_inference(model, torch.ones(8, 3), num_iterations=3, warmup=1)
    assert set(seen) == {(False, False, False)}
    assert (model.training, model.linear.training, model.frozen.training) == (True, True, False)
    assert torch.is_grad_enabled()
    assert found["batch_size"] == 8
    with pytest.raises(RuntimeError):
        benchmark_inference(model, torch.ones(8, 4))
    assert (model.training, model.frozen.training) == (True, False)


def test_what_a_class_does_in_its_own_eval_is_timed_and_undone() -> None:
    torch = pytest.importorskip("torch")

    class Merging(torch.nn.Linear):  # type: ignore[misc, name-defined]
        seen: ClassVar[list[float]] = []

        def train(self, mode: bool = True) -> Any:
            self.weight.data += 1
            return super().train(mode)

        def forward(self, batch: Any) -> Any:
            self.seen.append(float(self.weight.detach().mean()))
            return super().forward(batch)

    model = Merging(3, 2)
    weight = model.weight.detach().clone()
    benchmark_inference(model, torch.ones(8, 3), num_iterations=3, warmup=1)
    assert Merging.seen == pytest.approx([float(weight.mean()) + 1] * 4)
    assert torch.equal(model.weight, weight)
    assert model.training


def test_samples_are_counted_by_the_input() -> None:
    np = pytest.importorskip("numpy")
    batch = np.ones((16, 3))
    for given, samples in [
        (batch, 16),
        ((batch, batch), 16),
        ({"ids": batch, "mask": batch}, 16),
        ([batch[0], batch[1]], 2),
        (np.float32(1.0), 1),
        (None, 1),
    ]:
        found = benchmark_inference(id, given, num_iterations=1, warmup=0)
        assert found["batch_size"] == samples
    assert benchmark_inference(id, batch, 1, 0, batch_size=5)["batch_size"] == 5


def test_a_benchmark_is_a_span() -> None:
    with lt.lap("benchmarks"):
        benchmark_inference(id, 1, num_iterations=2, warmup=0)
    assert lt.report()["benchmarks/inference"].count == 1


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("model", 1), TypeError, "model is something to call, not str"),
        ((id, 1, 0), ValueError, "num_iterations is at least 1, not 0"),
        ((id, 1, 2.5), TypeError, "num_iterations is a whole number, not float"),
        ((id, 1, 1, -1), ValueError, "warmup is at least 0, not -1"),
        ((id, 1, True), TypeError, "not bool"),
    ],
)
def test_wrong_arguments_are_named(
    arguments: tuple[Any, ...], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        benchmark_inference(*arguments)


def test_an_error_of_the_model_goes_on() -> None:
    with pytest.raises(ZeroDivisionError):
        benchmark_inference(lambda x: x / 0, 1)
