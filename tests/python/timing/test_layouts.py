"""The printed layouts, character by character."""

from __future__ import annotations

import pytest

from laptime._core import Latency, now
from laptime.compat.timing import export, inference, phases, speedup, summary, track, warmup


@pytest.mark.parametrize(
    ("number", "shown"), [(0.125, "0.12"), (0.375, "0.38"), (2.675, "2.67"), (1.005, "1.00")]
)
def test_a_tracked_call_says_its_seconds(number: float, shown: str) -> None:
    assert track.line("m", number, " total") == f"m complete: {shown}s total"


def test_a_name_is_on_one_line() -> None:
    assert track.line("a\nb\x1b", 0.0, "") == r"a\nb\u{1b} complete: 0.00s"


def test_the_summary() -> None:
    seconds = {"MLP": 45.32, "warm": 1.0, "SIREN": 15.0}
    depths = {"MLP": 0, "warm": 1, "SIREN": 0}
    assert summary.layout("Section 1.1", seconds, depths, 4) == (
        "============================================================\n"
        "TIMING SUMMARY - Section 1.1\n"
        "============================================================\n"
        "MLP:                        45.32s ( 75.1%)\n"
        "  warm:                      1.00s (  1.7%)\n"
        "SIREN:                      15.00s ( 24.9%)\n"
        "------------------------------------------------------------\n"
        "Total time:                 60.32s\n"
        "Average per dataset:        15.08s\n"
        "============================================================"
    )


def test_a_long_name_widens_the_column_of_all_rows() -> None:
    name = "a model with a very long name"
    text = summary.layout("S", {name: 1.0, "b": 3.0}, {name: 0, "b": 0}, 1)
    assert text.splitlines()[3:5] == [
        "a model with a very long name:    1.00s ( 25.0%)",
        "b:                                3.00s ( 75.0%)",
    ]
    assert "0.00s (  0.0%)" in summary.layout("S", {"a": 0.0}, {"a": 0}, 1)


def test_the_speedups_stand_fastest_first() -> None:
    timers = {"KAN": 10.0, "slow\n": 20.0, "SIREN": 6.0, "zero": 0.0}
    assert speedup.layout(timers, "KAN") == (
        "============================================================\n"
        "SPEEDUP ANALYSIS\n"
        "============================================================\n"
        "Baseline: KAN (10.00s)\n"
        "------------------------------------------------------------\n"
        "zero                 :     \N{EN DASH}  (a time of zero has no ratio)\n"
        "SIREN                :  1.67x faster\n"
        "slow\\n               :  2.00x slower\n"
        "============================================================"
    )
    assert "Baseline: \N{EN DASH} (no timers)\n---" in speedup.layout({}, None)


def test_the_breakdown_stands_longest_first() -> None:
    assert phases.layout("Training", {"data": 1.0, "forward": 3.0}, 4.0) == (
        "Training - Detailed Breakdown:\n"
        "----------------------------------------\n"
        "  forward             :     3.00s ( 75.0%)\n"
        "  data                :     1.00s ( 25.0%)\n"
        "----------------------------------------"
    )
    assert "0.00s (  0.0%)" in phases.layout("T", {"a": 0.0}, 0.0)


def test_the_inference_benchmark_has_details_only_when_asked() -> None:
    latency = Latency([0] * 20, 8)
    assert inference.layout("MLP", latency, False) == (
        "MLP Inference Benchmark:\n"
        "----------------------------------------\n"
        "  Mean latency:        0.000 ms\n"
        "  Min latency:         0.000 ms\n"
        "  Max latency:         0.000 ms\n"
        "  Throughput:          \N{EN DASH} (the calls took no time)\n"
        "----------------------------------------"
    )
    assert inference.layout("MLP", latency, True).splitlines()[6:] == [
        "  Median latency:      0.000 ms",
        "  95% CI of median:    0.000 to 0.000 ms",
        "  p90 latency:         0.000 ms",
        "  p99 latency:         0.000 ms",
        "  Steady:              yes",
        "----------------------------------------",
    ]
    begun = now()
    short = inference.layout("m", Latency([max(now() - begun, 1)], 1), True)
    assert "samples/sec" in short
    assert "  95% CI of median:    \N{EN DASH} (" in short
    assert "  Steady:              \N{EN DASH} (1 call is too few" in short


def test_the_warmup() -> None:
    assert warmup.layout("MLP", 5.2, 3.02, 2.18, 72.18) == (
        "MLP - Warmup Analysis:\n"
        "----------------------------------------\n"
        "  First epoch:           5.200s\n"
        "  Steady state:          3.020s\n"
        "  Warmup overhead:       2.180s ( 72.2%)\n"
        "----------------------------------------"
    )
    assert "2.180s (    \N{EN DASH}%)" in warmup.layout("MLP", 5.2, 3.02, 2.18, None)
    alone = warmup.layout("MLP", 5.2, None, None, None)
    assert "  Warmup overhead:       \N{EN DASH} (there is only one epoch)" in alone


TIMERS = {
    'a|b,\n"c"': 0.1,
    "MLP": {"time": 2.25, "peak_memory_mb": None, "best": {"loss": 0.5}, "epochs": [1, True]},
}


def test_csv_has_a_column_for_every_nested_value() -> None:
    assert export.as_csv("1.1", TIMERS) == (
        "Section,Model,Time (s),peak_memory_mb,best.loss,epochs\r\n"
        '1.1,"a|b,\\n""c""",0.1,,,\r\n'
        '1.1,MLP,2.25,,0.5,"[1, true]"\r\n'
    )
    numbers = {"whole": 45.0, "small": 1e-7, "large": 1e20, "true": {"time": 1, "is": True}}
    assert [line.split(",")[2] for line in export.as_csv("s", numbers).split("\r\n")[1:-1]] == [
        "45",
        "0.0000001",
        "100000000000000000000",
        "1",
    ]


def test_json_keeps_the_order_and_every_digit() -> None:
    assert export.as_json("1.1", "2024-05-06T07:08:09+00:00", TIMERS) == (
        "{\n"
        '  "section": "1.1",\n'
        '  "timestamp": "2024-05-06T07:08:09+00:00",\n'
        '  "timers": {\n'
        '    "a|b,\\n\\"c\\"": 0.1,\n'
        '    "MLP": {"time": 2.25, "peak_memory_mb": null, "best": {"loss": 0.5}, '
        '"epochs": [1, true]}\n'
        "  }\n"
        "}\n"
    )
    assert '"x": null' in export.as_json("", "", {"x": float("inf")})
