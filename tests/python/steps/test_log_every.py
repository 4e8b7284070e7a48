"""`lt.log_every`: lines about the steps of a running program."""

from __future__ import annotations

import asyncio
import copy
import io
import logging
import os
import pickle
import re
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from warm import Warm

import laptime as lt
from laptime._core import StepListener


@pytest.fixture(autouse=True)
def ends() -> Iterator[None]:
    yield
    lt.log_every(None)


def steps(count: int) -> None:
    for _ in range(count):
        with lt.lap("step"):
            with lt.lap("forward"):
                pass


def test_a_line_a_window_on_the_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    lt.log_every(2)
    steps(5)
    out, err = capsys.readouterr()
    assert out == ""
    lines = err.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert re.fullmatch(
            r"step \d+ \| [\d.]+ [nµm]?s \(p95 [\d.]+( [nµm]?s)?\) "
            r"\| fwd \d+% \| [\d.]+ [KMG]iB peak",
            line,
        ), line


def test_windows_are_all_steps_once_however_these_are_written() -> None:
    seen: list[lt.StepWindow] = []
    lt.log_every(3, file=seen.append)
    for _ in lt.track(range(4)):
        pass
    steps(4)

    @lt.lap("step")
    def step() -> None:
        pass

    async def in_tasks() -> None:
        async with lt.lap("step"):
            await asyncio.sleep(0)

    step()
    step()
    asyncio.run(in_tasks())
    asyncio.run(in_tasks())
    assert [window.count for window in seen] == [3, 3, 3, 3]
    assert [window.step - seen[0].step for window in seen] == [0, 3, 6, 9]
    assert sum(window.total_ns for window in seen) == pytest.approx(
        lt.report()[("step",)].total_ns, abs=100
    )
    assert set(seen[0].share_ratios) == {"data"}
    assert all(0 <= ratio <= 1 for window in seen for ratio in window.share_ratios.values())


def test_a_step_in_a_step_is_none_of_its_own() -> None:
    seen: list[lt.StepWindow] = []
    lt.log_every(1, file=seen.append)
    with lt.lap("epoch"):
        with lt.lap("step"):
            steps(3)
    assert [window.count for window in seen] == [1]
    assert list(seen[0].share_ratios) == ["step"]


def test_steps_of_another_name_are_asked_for_by_it() -> None:
    out = io.StringIO()
    lt.log_every(1, file=out, name="batch")
    steps(2)
    for _ in lt.track(range(2), "batch"):
        pass
    assert [line.split(" | ")[0][:6] for line in out.getvalue().splitlines()] == ["batch "] * 2


def test_a_later_call_takes_the_place_of_the_first_and_none_ends_it() -> None:
    first, second = io.StringIO(), io.StringIO()
    lt.log_every(1, file=first)
    lt.log_every(1, file=second)
    steps(2)
    lt.log_every(0)
    steps(2)
    assert (first.getvalue(), len(second.getvalue().splitlines())) == ("", 2)


def test_what_a_callback_raises_stays_there_and_is_said_once(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fails(window: lt.StepWindow) -> None:
        raise ValueError("no such disk")

    lt.log_every(1, file=fails)
    with caplog.at_level(logging.WARNING, "laptime"):
        steps(3)
    told = [record.getMessage() for record in caplog.records]
    assert len(told) == 1
    assert "ValueError: no such disk" in told[0]


def test_an_interrupt_in_a_callback_reaches_the_program() -> None:
    def interrupted(window: lt.StepWindow) -> None:
        raise KeyboardInterrupt

    lt.log_every(1, file=interrupted)
    with pytest.raises(KeyboardInterrupt):
        steps(1)
    with pytest.raises(KeyboardInterrupt):
        list(lt.track(range(3)))
    with lt.lap("after"):
        pass
    assert ("after",) in lt.report()


def test_steps_of_a_callback_are_no_training() -> None:
    seen: list[int] = []

    def trains(window: lt.StepWindow) -> None:
        seen.append(window.count)
        steps(2)

    lt.log_every(1, file=trains)
    steps(2)
    assert len(seen) == 2


def test_an_exception_of_the_program_passes_and_its_step_counts() -> None:
    seen: list[lt.StepWindow] = []
    lt.log_every(1, file=seen.append)
    with pytest.raises(KeyError, match="the program's"):
        with lt.lap("step"):
            raise KeyError("the program's")
    assert len(seen) == 1


def test_many_more_steps_than_a_window_of_the_recorder_holds() -> None:
    seen: list[lt.StepWindow] = []
    lt.log_every(10_000, file=seen.append)
    steps(40_000)
    assert [window.count for window in seen] == [10_000] * 4


def test_windows_go_on_over_a_recording_on_disk(tmp_path: object) -> None:
    seen: list[lt.StepWindow] = []
    lt.log_every(100, file=seen.append)
    steps(150)
    with lt.record(f"{tmp_path}/steps.lap"):
        steps(30_000)
    steps(50)
    assert sum(window.count for window in seen) == 30_200
    assert {window.count for window in seen} == {100}


def test_what_was_forgotten_is_in_no_window() -> None:
    listener = StepListener("step")
    listener.start()
    steps(5)
    lt.reset()
    steps(2)
    window = listener.take()
    listener.stop()
    assert window is not None
    assert window.count <= 5 + 2


def test_steps_of_threads_are_steps() -> None:
    seen: list[lt.StepWindow] = []
    lt.log_every(1, file=seen.append)
    threads = [threading.Thread(target=steps, args=(50,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    steps(1)
    assert sum(window.count for window in seen) == 151


def test_a_forked_child_is_silent_and_its_parent_goes_on() -> None:
    seen: list[lt.StepWindow] = []
    lt.log_every(1, file=seen.append)
    steps(1)
    child = os.fork()
    if child == 0:
        steps(3)
        os._exit(len(seen))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 1
    steps(1)
    assert len(seen) == 2


def test_flop_that_steps_say_and_memory_that_is_counted_are_told(tmp_path: object) -> None:
    seen: list[lt.StepWindow] = []
    with lt.record(f"{tmp_path}/memory.lap", memory=True):
        lt.log_every(1, file=seen.append)
        with lt.lap("step", flop=10**9):
            bytearray(1 << 20)
        with lt.lap("step"):
            pass
    counted, bare = seen
    assert counted.flop_per_s is not None
    assert counted.host_memory_peak_bytes is not None
    assert counted.host_memory_peak_bytes >= 1 << 20
    assert "FLOP/s" in str(counted)
    assert bare.flop_per_s is None
    assert "laptime/flop_per_s" not in bare.metrics()


@pytest.mark.parametrize("every", [-1, True, 1.5, "50"])
def test_so_many_steps_are_a_whole_number(every: object) -> None:
    with pytest.raises(ValueError, match="a whole number from 1 on"):
        lt.log_every(every)  # type: ignore[arg-type]


def test_a_path_is_no_file() -> None:
    with pytest.raises(TypeError, match="an open file or a function"):
        lt.log_every(5, file="steps.log")  # type: ignore[arg-type]


@pytest.mark.parametrize("every", [1, 2])
@pytest.mark.parametrize("is_late", [False, True])
def test_automatic_phases_are_steps_wherever_gradients_are_cleared(
    run: Any, warm: Warm, every: int, is_late: bool
) -> None:
    first, last = ("pass", "optimizer.zero_grad()")[:: 1 if is_late else -1]
    code = f"""
import torch, laptime as lt, sys
from laptime.integrations.torch import phases
seen = []
lt.log_every({every}, file=seen.append)
model = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(model.parameters(), 0.1)
data = torch.utils.data.DataLoader(torch.randn(6, 4))
with phases():
    for batch in data:
        {first}
        model(batch).sum().backward()
        optimizer.step()
        {last}
print([w.count for w in seen], list(seen[0].share_ratios))
"""
    done = run(code, python=warm.python)
    counts = [every] * (6 // every)
    assert done.stdout.strip() == f"{counts} ['data', 'forward', 'backward', 'optimizer']"


def test_steps_that_fill_no_window_are_told_at_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    lt.log_every(3)
    steps(5)
    assert len(capsys.readouterr().err.splitlines()) == 1
    lt.log_every(None)
    (line,) = capsys.readouterr().err.splitlines()
    assert line.endswith(" | 2 of 3 steps")
    lt.log_every(3)
    steps(3)
    lt.log_every(None)
    assert len(capsys.readouterr().err.splitlines()) == 1


def test_the_rest_is_told_when_the_program_ends(run: Any) -> None:
    code = """
import laptime as lt
lt.log_every(10)
for _ in lt.track(range(12)):
    pass
"""
    lines = [line for line in run(code).stderr.splitlines() if line.startswith("step ")]
    assert len(lines) == 2
    assert lines[1].endswith(" | 2 of 10 steps")


def test_who_named_no_lap_that_is_there_is_told_the_names(
    caplog: pytest.LogCaptureFixture,
) -> None:
    lt.log_every(2)
    for _ in range(4):
        with lt.lap("batch"):
            pass
    with caplog.at_level(logging.WARNING, "laptime"):
        lt.log_every(None)
    (told,) = [record.getMessage() for record in caplog.records]
    assert "no lap named 'step'; name= takes the name of others: 'batch'" in told


def test_a_number_that_no_counter_holds_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 9223372036854775807, not 1000"):
        lt.log_every(10**30)


def test_a_window_is_copied_and_pickled_as_it_is() -> None:
    seen: list[lt.StepWindow] = []
    lt.log_every(2, file=seen.append)
    steps(2)
    (window,) = seen
    assert copy.copy(window) is copy.deepcopy(window) is window
    again = pickle.loads(pickle.dumps(window))
    assert (str(again), again.metrics()) == (str(window), window.metrics())
    assert (again.phases_ns, again.max_ns) == (window.phases_ns, window.max_ns)
