"""Ratios to a baseline and their layout."""

from __future__ import annotations

import pytest

from laptime.timing import calculate_speedup_ratios, print_speedup_analysis

TIMERS = {"MLP": 8.0, "SIREN": {"time": 6.0}, "KAN": 10.0, "slow": 25.0}


def test_the_slowest_is_the_baseline_unless_one_is_named() -> None:
    assert calculate_speedup_ratios({"MLP": 8.0, "KAN": 10.0}) == {"MLP": 1.25, "KAN": 1.0}
    assert calculate_speedup_ratios(TIMERS, "KAN")["slow"] == 0.4
    assert calculate_speedup_ratios(TIMERS, baseline="KAN")["SIREN"] == pytest.approx(10 / 6)


def test_the_layout(capsys: pytest.CaptureFixture[str]) -> None:
    print_speedup_analysis(TIMERS, baseline="KAN")
    assert capsys.readouterr().out == (
        "============================================================\n"
        "SPEEDUP ANALYSIS\n"
        "============================================================\n"
        "Baseline: KAN (10.00s)\n"
        "------------------------------------------------------------\n"
        "SIREN                :  1.67x faster\n"
        "MLP                  :  1.25x faster\n"
        "slow                 :  2.50x slower\n"
        "============================================================\n"
    )


def test_a_time_of_zero_has_no_ratio(capsys: pytest.CaptureFixture[str]) -> None:
    assert calculate_speedup_ratios({"a": 0.0, "b": 2.0}) == {"a": None, "b": 1.0}
    assert calculate_speedup_ratios({"a": 0.0, "b": 0.0}) == {"a": 1.0, "b": None}
    print_speedup_analysis({"a": 0.0, "b": 2.0})
    assert (
        "a                    :     \u2013  (a time of zero has no ratio)"
        in capsys.readouterr().out
    )


def test_no_timers_have_no_baseline(capsys: pytest.CaptureFixture[str]) -> None:
    assert calculate_speedup_ratios({}) == {}
    print_speedup_analysis({})
    assert "Baseline: \u2013 (no timers)" in capsys.readouterr().out


def test_an_unknown_baseline_is_named_with_those_known() -> None:
    for ask in (calculate_speedup_ratios, print_speedup_analysis):
        with pytest.raises(KeyError, match="'GAN' is not among the timers: 'MLP', 'SIREN'"):
            ask(TIMERS, "GAN")
    with pytest.raises(KeyError, match="none"):
        calculate_speedup_ratios({}, "KAN")
