"""Laps as NVTX ranges, as a tool receives them that is made from NVIDIA's headers."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from textwrap import dedent

import pytest
from injected import Log, Told

import laptime as lt

BEGIN = "import laptime as lt\n"


def balanced(log: Log) -> None:
    """Each thread pops what it pushed, and each range that was started ends once."""
    depths: Counter[tuple[int, int]] = Counter()
    open_ranges: set[int] = set()
    for call in log.calls:
        assert call.domain == "laptime", call
        thread = (call.process, call.thread)
        if call.what == "push":
            assert call.depth == depths[thread], call
            depths[thread] += 1
        elif call.what == "pop":
            depths[thread] -= 1
            assert depths[thread] >= 0, call
        elif call.what == "start":
            open_ranges.add(call.number)
        elif call.what == "end":
            open_ranges.remove(call.number)
    assert not any(depths.values())
    assert not open_ranges


def test_laps_are_ranges_that_nest_in_the_domain_laptime_with_names_registered_once(
    told: Told,
) -> None:
    log = told(
        BEGIN
        + dedent("""
        for _ in range(2):
            with lt.lap("step"):
                with lt.lap("forward"):
                    lt.mark("checkpoint")
        """)
    )
    balanced(log)
    step = ["+step", "+forward", "!checkpoint", "-", "-"]
    assert log.shown() == step * 2
    registered = [call.name for call in log.calls if call.what == "register"]
    assert registered == ["step", "forward", "checkpoint"]
    pushed = [call for call in log.calls if call.what == "push"]
    assert len({call.payload for call in pushed}) == len(pushed), "each span has an id of its own"


def test_ranges_are_balanced_after_exceptions_and_laps_closed_out_of_order(told: Told) -> None:
    log = told(
        BEGIN
        + dedent("""
        try:
            with lt.lap("outer"):
                with lt.lap("inner"):
                    raise KeyError
        except KeyError:
            pass
        a, b = lt.lap("a"), lt.lap("b")
        a.__enter__()
        b.__enter__()
        a.__exit__(None, None, None)
        with lt.lap("after"):
            pass
        b.__exit__(None, None, None)
        """)
    )
    balanced(log)
    assert log.shown()[:4] == ["+outer", "+inner", "-", "-"]
    # b is open still when a closes: it goes on beside the stack.
    assert log.shown()[4:] == ["+a", "+b", "-", "-", "(b", "+after", "-", ")"]
    a, b, again = (call.payload for call in log.calls if call.name in "ab" and call.payload)
    assert b == again != a


def test_a_generators_pieces_nest_where_they_run_and_share_an_id(told: Told) -> None:
    log = told(
        BEGIN
        + dedent("""
        @lt.lap("batches")
        def batches():
            for batch in range(2):
                with lt.lap("read"):
                    pass
                yield batch

        for _ in batches():
            with lt.lap("train"):
                pass
        unfinished = batches()
        next(unfinished)
        del unfinished
        """)
    )
    balanced(log)
    piece = ["+batches", "+read", "-", "-"]
    assert log.shown()[:14] == [*piece, "+train", "-"] * 2 + ["+batches", "-"]
    pieces = [call.payload for call in log.calls if call.what == "push" and call.name == "batches"]
    assert pieces[0] == pieces[1] == pieces[2] != pieces[3]


def test_tasks_that_take_turns_are_ranges_that_may_overlap(told: Told) -> None:
    log = told(
        BEGIN
        + dedent("""
        import asyncio

        async def work(name):
            with lt.lap(name):
                await asyncio.sleep(0)
                async with lt.lap("inner"):
                    await asyncio.sleep(0)

        async def main():
            await asyncio.gather(work("one"), work("two"))

        with lt.lap("loop"):
            asyncio.run(main())
        """)
    )
    balanced(log)
    assert log.shown("push", "pop") == ["+loop", "-"]
    started = [call for call in log.calls if call.what in ("start", "end")]
    names = {call.number: call.name for call in started if call.what == "start"}
    ends = [names[call.number] for call in started if call.what == "end"]
    assert [call.name for call in started[:4]] == ["one", "two", "inner", "inner"]
    assert ends == ["inner", "one", "inner", "two"]


def test_each_thread_has_its_own_ranges_and_one_that_ends_leaves_none_open(told: Told) -> None:
    log = told(
        BEGIN
        + dedent("""
        import os, threading

        before = len(os.listdir("/proc/self/task"))
        together = threading.Barrier(3)  # or a thread may have the number of one that ended

        def work():
            with lt.lap("work"):
                lt.lap("left open").__enter__()
                together.wait()

        with lt.lap("main"):
            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        while len(os.listdir("/proc/self/task")) > before:  # joined, and not quite ended
            os.sched_yield()
        """)
    )
    balanced(log)
    assert len({call.thread for call in log.calls if call.what == "push"}) == 4


def test_a_forked_child_has_ranges_of_its_own(told: Told) -> None:
    log = told(
        BEGIN
        + dedent("""
        import os, sys

        with lt.lap("parent"):
            child = os.fork()
            if child == 0:
                with lt.lap("child"):
                    pass
                os._exit(0)
            assert os.waitpid(child, 0)[1] == 0
        """)
    )
    parent = log.calls[0].process
    by_parent = Log([call for call in log.calls if call.process == parent], log.done)
    balanced(by_parent)
    assert by_parent.shown() == ["+parent", "-"]
    child = Log([call for call in log.calls if call.process != parent], log.done)
    assert child.shown() == ["+child", "-"]
    # What was open at the fork is the parent's to close.
    assert [call.depth for call in child.calls if call.what != "register"] == [1, 1]


def test_segments_of_a_timer_and_laps_of_push_are_ranges_too(told: Told) -> None:
    log = told(
        BEGIN
        + dedent("""
        timer = lt.Timer("T")
        lt.push("outer")
        timer.start("a"); timer.start("b"); timer.stop("a"); timer.stop("b")
        lt.pop()
        timer.start("never stopped"); timer.clear()
        """)
    )
    balanced(log)
    assert log.shown()[:6] == ["+outer", "(a", "(b", ")", ")", "-"]


def test_phases_of_a_training_are_ranges_with_no_edit(told: Told, tmp_path: Path) -> None:
    pytest.importorskip("torch")
    script = tmp_path / "train.py"
    script.write_text(
        dedent("""
        import torch
        model = torch.nn.Linear(4, 1)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        data = torch.utils.data.DataLoader(torch.ones(4, 4))
        for batch in data:
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()
        """)
    )
    log = told(words=["-m", "laptime", "run", "--nvtx", str(script)])
    balanced(log)
    counts = Counter(log.shown("push"))
    # The loader begins its pass, and a step with it; it is asked five times, the last in vain.
    phases = {name: counts[name] for name in ("+step", "+data", "+forward", "+backward")}
    assert phases == {"+step": 6, "+data": 6, "+forward": 4, "+backward": 4}
    assert "NVTX" not in log.done.stderr


def test_the_id_of_a_range_is_where_its_span_starts_in_the_recording(told: Told) -> None:
    log = told(
        BEGIN
        + dedent("""
        from laptime import _core
        before = _core.now()
        with lt.lap("a"):
            pass
        print(before, _core.now())
        """)
    )
    before, after = map(int, log.done.stdout.split())
    (payload,) = (call.payload for call in log.calls if call.what == "push")
    assert before <= payload <= after


def test_nothing_is_told_while_laps_are_switched_off(told: Told) -> None:
    code = "with lt.lap('a'):\n  lt.disable()\nwith lt.lap('b'):\n  lt.mark('m')\n"
    log = told(BEGIN + code)
    balanced(log)
    assert log.shown() == ["+a", "-"]
    assert told(BEGIN + code, LAPTIME="0").calls == []


def test_a_tool_that_refuses_leaves_the_program_as_it_is(told: Told) -> None:
    log = told(
        BEGIN + "with lt.lap('a'): pass\nprint(lt.report()['a'].count)",
        NVTX_REFUSE="1",
    )
    assert (log.calls, log.done.stdout, log.done.stderr) == ([], "1\n", "")


def test_where_no_tool_is_attached_asking_for_ranges_says_why_once(tmp_path: Path) -> None:
    code = dedent(f"""
        import laptime as lt
        with lt.record({str(tmp_path / "a.lap")!r}, nvtx=True):
            with lt.lap("a"):
                pass
        """)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0
    assert done.stderr.count("no tool is attached that takes NVTX ranges") == 1
    assert lt.open(tmp_path / "a.lap").report()["a"].count == 1


def test_laptime_run_says_once_that_no_tool_is_attached(tmp_path: Path) -> None:
    script = tmp_path / "x.py"
    script.write_text(
        "import subprocess, sys\nsubprocess.run([sys.executable, '-c', 'import laptime'])\n"
    )
    words = [sys.executable, "-m", "laptime", "run", "--nvtx", str(script)]
    done = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr.count("warning: NVTX: no tool is attached") == 1
    assert done.stderr.count("no tool is attached that takes NVTX ranges") == 2, "and the summary"
