"""What the first epoch cost beyond the others."""

from __future__ import annotations

from typing import Any

import pytest

from laptime.timing import print_warmup_analysis, track_warmup_timing

EPOCHS = [5.2, 3.1, 3.0, 3.1, 3.0, 2.9]


def test_the_first_epoch_against_the_mean_of_the_others() -> None:
    stats = track_warmup_timing(6, EPOCHS)
    assert stats["first_epoch_time"] == 5.2
    assert stats["avg_steady_state_time"] == pytest.approx(3.02)
    assert stats["warmup_overhead"] == pytest.approx(2.18)
    assert stats["warmup_overhead_pct"] == pytest.approx(72.185, abs=1e-3)
    assert stats["warmup_epochs"] is None
    assert "6 epochs are too few" in str(stats["warmup_epochs_reason"])


def test_the_layout(capsys: pytest.CaptureFixture[str]) -> None:
    print_warmup_analysis(track_warmup_timing(6, EPOCHS), "MLP")
    assert capsys.readouterr().out == (
        "MLP - Warmup Analysis:\n"
        "----------------------------------------\n"
        "  First epoch:           5.200s\n"
        "  Steady state:          3.020s\n"
        "  Warmup overhead:       2.180s ( 72.2%)\n"
        "----------------------------------------\n"
    )


def test_the_end_of_warmup_is_found_among_many_epochs() -> None:
    stats = track_warmup_timing(20, [9.0, 6.0, 4.0] + [3.0, 3.01] * 6)
    assert (stats["warmup_epochs"], stats["warmup_epochs_reason"]) == (3, None)


def test_one_epoch_has_no_steady_state(capsys: pytest.CaptureFixture[str]) -> None:
    stats = track_warmup_timing(1, [2.0])
    assert (stats["avg_steady_state_time"], stats["warmup_overhead_pct"]) == (None, None)
    print_warmup_analysis(stats, "alone")
    assert "  Steady state:          \u2013 (there is only one epoch)\n" in capsys.readouterr().out


def test_a_steady_state_of_zero_has_no_percentage() -> None:
    assert track_warmup_timing(2, [1.0, 0.0])["warmup_overhead_pct"] is None
    assert track_warmup_timing(2, [0.0, 0.0])["warmup_overhead_pct"] == 0.0


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ((6, []), ValueError, "epoch_times is empty"),
        ((2, [1.0, 1.0, 1.0]), ValueError, "3 entries, more than total_epochs 2"),
        ((0, [1.0]), ValueError, "total_epochs is at least 1"),
        ((2.0, [1.0]), TypeError, "total_epochs is a whole number, not float"),
        ((2, "12"), TypeError, "epoch_times is a sequence of seconds, not str"),
        ((2, 1.0), TypeError, "not float"),
        ((2, [1.0, None]), TypeError, r"epoch_times\[1\]"),
        ((2, [1.0, -1.0]), ValueError, "no number of seconds"),
    ],
)
def test_wrong_arguments_are_named(
    arguments: tuple[Any, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        track_warmup_timing(*arguments)


def test_statistics_of_something_else_are_refused() -> None:
    with pytest.raises(ValueError, match="lacks 'avg_steady_state_time'"):
        print_warmup_analysis({"first_epoch_time": 1.0}, "m")
    with pytest.raises(TypeError, match="stats is what"):
        print_warmup_analysis([1.0], "m")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="model_name is a string"):
        print_warmup_analysis(track_warmup_timing(6, EPOCHS), 3)  # type: ignore[arg-type]
