"""Latency of a model's calls, as the program sees it: from the call until the device is done."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, TypedDict, cast

from ..._core import Latency, lap, now, visible_text
from ...benchmarks._undisturbed import complete, module_of, undisturbed
from ...device.tensors import devices_of, tensors
from ...device.wait import synchronize_all, wait_for
from .output import NONE, say, say_why
from .timers import check_count, check_name

_WIDTH = 40


class InferenceResult(TypedDict):
    """Latencies in milliseconds for one call on the whole batch; what cannot be told is None."""

    mean_ms: float
    min_ms: float
    max_ms: float
    throughput_samples_per_sec: float | None
    median_ms: float
    p90_ms: float
    p99_ms: float
    ci_low_ms: float | None
    ci_high_ms: float | None
    ci_reason: str | None
    steady: bool | None
    steady_reason: str | None
    batch_size: int
    num_iterations: int
    warmup: int
    device: str


def benchmark_inference(
    model: Callable[..., Any],
    test_input: Any,
    num_iterations: int = 100,
    warmup: int = 10,
    *,
    batch_size: int | None = None,
) -> InferenceResult:
    """Times `model(test_input)` after `warmup` calls that are not counted.

    PyTorch models run in evaluation mode and without gradients, and are afterwards what they were,
    also when a call raises. Before and after every call the devices of the model and the input are
    waited for, and so are the arrays that a JAX function returns. A batch of n counts as n samples:
    n is the first dimension of the input unless `batch_size` says otherwise.
    """
    return _result(*_measured(model, test_input, num_iterations, warmup, batch_size))


def print_inference_benchmark(
    model: Callable[..., Any],
    test_input: Any,
    num_iterations: int = 100,
    warmup: int = 10,
    *,
    model_name: str = "Model",
    details: bool = False,
    batch_size: int | None = None,
) -> InferenceResult:
    """Runs `benchmark_inference`, prints its figures and returns them.

    With `details` also median, its 95 % confidence interval, p90, p99 and whether it was steady.
    """
    check_name("model_name", model_name)
    latency, facts = _measured(model, test_input, num_iterations, warmup, batch_size)
    say(layout(model_name, latency, details))
    return _result(latency, facts)


def layout(name: str, latency: Latency, details: bool) -> str:
    """The table of people's own helpers, to the character, and with `details` what goes beyond."""
    mean, least, most, median, p90, p99 = (f"{ms:.3f} ms" for ms in latency.milliseconds)
    rate = latency.samples_per_s
    told = {
        "Mean latency": mean,
        "Min latency": least,
        "Max latency": most,
        "Throughput": f"{NONE} (the calls took no time)"
        if rate is None
        else f"{rate:.1f} samples/sec",
    }
    if details:
        interval = latency.interval
        steady, why = latency.steadiness
        told |= {
            "Median latency": median,
            "95% CI of median": f"{NONE} ({latency.interval_reason})"
            if interval is None
            else "{:.3f} to {:.3f} ms".format(*interval),
            "p90 latency": p90,
            "p99 latency": p99,
            "Steady": "yes" if steady else f"{NONE if steady is None else 'no'} ({why})",
        }
    lines = [
        f"{visible_text(name)} Inference Benchmark:",
        "-" * _WIDTH,
        *(f"  {f'{label}:':<21}{said}" for label, said in told.items()),
        "-" * _WIDTH,
    ]
    return "\n".join(lines)


def _measured(
    model: Callable[..., Any], test_input: Any, num_iterations: int, warmup: int, batch: int | None
) -> tuple[Latency, dict[str, Any]]:
    if not callable(model):
        raise TypeError(f"model is something to call, not {type(model).__name__}")
    iterations = check_count("num_iterations", num_iterations, 1)
    untimed = check_count("warmup", warmup, 0)
    size = _batch_of(test_input) if batch is None else check_count("batch_size", batch, 1)
    devices = devices_of(model, test_input)
    ticks: list[int] = []
    module = module_of(model)
    complete(module, lambda: model(test_input))
    with undisturbed(module) as lost, _without_gradients(), lap("inference"):
        for _ in range(untimed):
            wait_for(model(test_input))
        wait_for(test_input)
        for _ in range(iterations):
            synchronize_all(devices)
            begun = now()
            output = model(test_input)
            wait_for(output)
            synchronize_all(devices)
            ticks.append(now() - begun)
            # Freed here: an output is no part of the next call's time.
            del output
    for what in lost:
        say_why(what)
    facts = {
        "batch_size": size,
        "num_iterations": iterations,
        "warmup": untimed,
        "device": ", ".join(map(str, devices)) or "cpu",
    }
    return Latency(ticks, size), facts


def _result(latency: Latency, facts: dict[str, Any]) -> InferenceResult:
    mean, least, most, median, p90, p99 = latency.milliseconds
    low, high = latency.interval or (None, None)
    steady, why = latency.steadiness
    return cast(
        "InferenceResult",
        {
            "mean_ms": mean,
            "min_ms": least,
            "max_ms": most,
            "throughput_samples_per_sec": latency.samples_per_s,
            "median_ms": median,
            "p90_ms": p90,
            "p99_ms": p99,
            "ci_low_ms": low,
            "ci_high_ms": high,
            "ci_reason": latency.interval_reason,
            "steady": steady,
            "steady_reason": why,
            **facts,
        },
    )


def _without_gradients() -> Any:
    torch: Any = sys.modules.get("torch")
    return nullcontext() if torch is None else torch.no_grad()


def _batch_of(test_input: Any) -> int:
    """Samples in an input: the first dimension of its first tensor; a list counts its items."""
    if isinstance(test_input, list):
        return max(len(cast("list[Any]", test_input)), 1)
    for tensor in tensors(test_input):
        shape = tuple(tensor.shape)
        return int(shape[0]) if shape else 1
    return 1
