"""The summary's layout, character by character, and the truth of its percentages."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from laptime.timing import print_timing_summary


def summary(capsys: pytest.CaptureFixture[str], *arguments: Any) -> str:
    print_timing_summary(*arguments)
    return capsys.readouterr().out


def test_the_layout(capsys: pytest.CaptureFixture[str]) -> None:
    timers = {"MLP": 45.32, "SIREN": {"time": 15.0, "peak_memory_mb": 3.5}, "KAN": 120}
    assert summary(capsys, timers, "Section 1.1", 3) == (
        "============================================================\n"
        "TIMING SUMMARY - Section 1.1\n"
        "============================================================\n"
        "MLP:                        45.32s ( 25.1%)\n"
        "SIREN:                      15.00s (  8.3%)\n"
        "KAN:                       120.00s ( 66.5%)\n"
        "------------------------------------------------------------\n"
        "Total time:                180.32s\n"
        "Average per dataset:        60.11s\n"
        "============================================================\n"
    )


def test_no_timers_give_a_total_of_zero(capsys: pytest.CaptureFixture[str]) -> None:
    assert summary(capsys, {}, "empty") == (
        "============================================================\n"
        "TIMING SUMMARY - empty\n"
        "============================================================\n"
        "------------------------------------------------------------\n"
        "Total time:                  0.00s\n"
        "Average per dataset:         0.00s\n"
        "============================================================\n"
    )


def test_zero_totals_have_shares_of_zero(capsys: pytest.CaptureFixture[str]) -> None:
    out = summary(capsys, {"a": 0.0, "b": 0}, "zero")
    assert out.count("    0.00s (  0.0%)\n") == 2


def test_a_long_name_widens_every_row(capsys: pytest.CaptureFixture[str]) -> None:
    name = "a model with a very long name"
    lines = summary(capsys, {name: 1.0, "b": 3.0}, "s").splitlines()
    width = len(name) + 1
    assert lines[3] == f"{name + ':':<{width}}{1.0:>8.2f}s ( 25.0%)"
    assert lines[4] == f"{'b:':<{width}}{3.0:>8.2f}s ( 75.0%)"
    assert lines[6] == f"{'Total time:':<{width}}{4.0:>8.2f}s"
    assert lines[7] == f"{'Average per dataset:':<{width}}{4.0:>8.2f}s"


@pytest.mark.parametrize("times", [[1, 1, 1], [0.001, 99.0, 3.3], [7.0], [1e-9, 1e9], [5, 1, 1, 1]])
def test_each_percentage_is_of_the_total_and_rounded_on_its_own(
    times: list[float], capsys: pytest.CaptureFixture[str]
) -> None:
    timers = {f"t{at}": seconds for at, seconds in enumerate(times)}
    shown = re.findall(r"\(([ \d.]{5})%\)", summary(capsys, timers, "s"))
    assert shown == [f"{seconds / math.fsum(times) * 100:5.1f}" for seconds in times]


def test_names_with_pipes_and_newlines_keep_to_one_row(capsys: pytest.CaptureFixture[str]) -> None:
    lines = summary(capsys, {"a|b\nc": 1.0}, "x\ny").splitlines()
    assert len(lines) == 8
    assert lines[1] == "TIMING SUMMARY - x\\ny"
    assert lines[3] == f"{'a|b' + chr(92) + 'nc:':<25}    1.00s (100.0%)"


@pytest.mark.parametrize(
    ("timers", "error", "message"),
    [
        ([1.0], TypeError, "timers is a dictionary, not list"),
        ({"a": "1.0"}, TypeError, "timers['a'] is seconds or a dictionary with 'time', not str"),
        ({"a": None}, TypeError, "not NoneType"),
        ({"a": True}, TypeError, "not bool"),
        ({"a": math.nan}, ValueError, "timers['a'] is nan: no number of seconds"),
        ({"a": -1.0}, ValueError, "timers['a'] is -1.0: no number of seconds"),
        ({"a": {"seconds": 1.0}}, ValueError, "timers['a'] is a dictionary without 'time'"),
        ({"a": {"time": "x"}}, TypeError, "timers['a']['time'] is seconds"),
        ({1: 1.0}, TypeError, "the name of a timer is a string, not int"),
    ],
)
def test_what_is_no_timer_is_named(timers: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=re.escape(message)):
        print_timing_summary(timers, "s")


@pytest.mark.parametrize(
    ("arguments", "error"),
    [(("s", 0), ValueError), (("s", -1), ValueError), (("s", 1.5), TypeError), ((1,), TypeError)],
)
def test_wrong_sections_and_counts_are_refused(
    arguments: tuple[Any, ...], error: type[Exception]
) -> None:
    with pytest.raises(error):
        print_timing_summary({"a": 1.0}, *arguments)
