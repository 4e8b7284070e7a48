"""`lt.track(…, log=True)`: a line for each round."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import pytest

import laptime as lt


def told(log: list[str]) -> list[str]:
    return [re.sub(r"\d+\.\d{3} sec", "_ sec", line) for line in log]


def test_each_epoch_is_told_with_its_metrics(capsys: pytest.CaptureFixture[str]) -> None:
    for epoch in lt.track(range(2), "epoch", log=True):
        for _ in lt.track(range(3)):
            lt.metric("loss", 0.5)
        if epoch == 0:
            lt.metric("test_acc", 0.92)
    assert told(capsys.readouterr().out.splitlines()) == [
        "Epoch 1/2 | Loss: 0.500 | Test Acc: 0.920 | Epoch Time: _ sec",
        "Epoch 2/2 | Loss: 0.500 | Epoch Time: _ sec",
        "Total Time: _ sec",
    ]


def test_without_a_length_only_the_number_is_told() -> None:
    def endless() -> Iterator[int]:
        yield from range(2)

    log: list[str] = []
    list(lt.track(endless(), "epoch", log=log.append))
    assert told(log) == [
        "Epoch 1 | Epoch Time: _ sec",
        "Epoch 2 | Epoch Time: _ sec",
        "Total Time: _ sec",
    ]


def test_metrics_before_the_loop_are_none_of_an_epoch() -> None:
    with lt.lap("epoch"):
        lt.metric("before", 1.0)
    lt.metric("outside", 1.0)
    log: list[str] = []
    list(lt.track(range(1), "epoch", log=log.append))
    assert "Before" not in log[0]
    assert "Outside" not in log[0]


def test_a_loop_that_is_left_early_is_told_to_its_end() -> None:
    log: list[str] = []
    for epoch in lt.track(range(9), "epoch", log=log.append):
        if epoch == 1:
            break
    assert [line.split(" | ")[0] for line in told(log)] == [
        "Epoch 1/9",
        "Epoch 2/9",
        "Total Time: _ sec",
    ]


def test_the_time_that_is_left_is_told_where_it_is_long() -> None:
    from laptime._core import epoch_line

    line = epoch_line("epoch", 5, [], [100.0, 50.0])
    assert line == "Epoch 2/5 | Epoch Time: 50.000 sec | ETA 2m 30s"
    assert "ETA" not in epoch_line("epoch", 5, [], [5.0, 5.0])


def test_lines_stand_above_a_bar() -> None:
    tqdm = pytest.importorskip("tqdm")
    bar, out = io.StringIO(), io.StringIO()
    items = tqdm.tqdm(range(2), file=bar)
    assert list(lt.track(items, "epoch", log=out)) == [0, 1]
    assert told(out.getvalue().splitlines())[-1] == "Total Time: _ sec"
    assert "2/2" in bar.getvalue()


def test_what_the_log_raises_stays_there() -> None:
    def fails(line: str) -> None:
        raise OSError("full")

    assert list(lt.track(range(3), "epoch", log=fails)) == [0, 1, 2]


def test_recording_that_is_off_still_tells_the_time() -> None:
    log: list[str] = []
    lt.disable()
    try:
        list(lt.track(range(1), "epoch", log=log.append))
    finally:
        lt.enable()
    assert told(log) == ["Epoch 1/1 | Epoch Time: _ sec", "Total Time: _ sec"]
