"""Spans belong to a task: asyncio, contexts, threads of a pool."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import gc
import random
import re
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

import laptime as lt
from laptime import _core

pytestmark = pytest.mark.interpreter


def test_a_hundred_interleaved_tasks_have_a_right_tree() -> None:
    order = random.Random(1)

    async def task(number: int) -> None:
        with lt.lap(f"task {number}"):
            for level in range(3):
                await asyncio.sleep(order.random() / 1000)
                with lt.lap(f"level {level}"):
                    await asyncio.sleep(order.random() / 1000)
                    assert _core.current_path() == [
                        "hundred",
                        "main",
                        f"task {number}",
                        f"level {level}",
                    ]

    async def main() -> None:
        with lt.lap("main"):
            await asyncio.gather(*(task(number) for number in range(100)))

    with lt.lap("hundred"):
        asyncio.run(main())
    report = lt.report()
    expected = {"hundred", "hundred/main"}
    for number in range(100):
        expected.add(f"hundred/main/task {number}")
        for level in range(3):
            path = f"hundred/main/task {number}/level {level}"
            expected.add(path)
            assert report[path].count == 1
            assert report[path].unbalanced_count == 0
    assert {path for path in report if path.startswith("hundred")} == expected


def test_a_parent_keeps_its_own_time_while_tasks_run_beside_it() -> None:
    async def task(started: list[None], end: asyncio.Event) -> None:
        with lt.lap("beside"):
            started.append(None)
            await end.wait()

    async def main() -> None:
        started: list[None] = []
        end = asyncio.Event()
        with lt.lap("waits"):
            begun = time.monotonic()
            tasks = [asyncio.create_task(task(started, end)) for _ in range(20)]
            while len(started) < len(tasks):
                await asyncio.sleep(0)
            # All are open for longer than it took to get there, however busy the machine is.
            await asyncio.sleep(time.monotonic() - begun + 0.01)
            end.set()
            await asyncio.gather(*tasks)

    asyncio.run(main())
    report = lt.report()
    assert report["waits/beside"].total_ns > report["waits"].total_ns
    assert report["waits"].self_ns == report["waits"].total_ns


def test_a_task_opens_under_what_was_open_when_it_was_made() -> None:
    async def task() -> list[str]:
        await asyncio.sleep(0.001)
        with lt.lap("inherits"):
            return _core.current_path()

    async def main() -> list[str]:
        with lt.lap("open then"):
            made = asyncio.create_task(task())
        with lt.lap("open later"):
            return await made

    assert asyncio.run(main()) == ["open then", "inherits"]


@pytest.mark.skipif(sys.version_info < (3, 11), reason="asyncio.TaskGroup came with 3.11")
def test_a_task_group() -> None:
    async def task(number: int) -> list[str]:
        with lt.lap(f"grouped {number}"):
            await asyncio.sleep(0)
            return _core.current_path()

    async def main() -> list[list[str]]:
        with lt.lap("group"):
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(task(number)) for number in range(3)]
        return [task.result() for task in tasks]

    assert asyncio.run(main()) == [["group", f"grouped {number}"] for number in range(3)]


def test_a_cancelled_task_closes_its_laps() -> None:
    async def task() -> None:
        with lt.lap("cancelled"):
            await asyncio.sleep(10)

    async def main() -> None:
        running = asyncio.create_task(task())
        await asyncio.sleep(0)
        running.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await running
        assert _core.current_path() == []

    asyncio.run(main())
    row = lt.report()["cancelled"]
    assert (row.count, row.unbalanced_count) == (1, 0)


def test_to_thread_opens_under_the_task_that_waits() -> None:
    def work() -> list[str]:
        with lt.lap("in a thread"):
            return _core.current_path()

    async def main() -> list[str]:
        with lt.lap("waiting"):
            return await asyncio.to_thread(work)

    assert asyncio.run(main()) == ["waiting", "in a thread"]


def test_async_with_and_the_last_duration_of_the_task() -> None:
    async def short(is_open: asyncio.Event, all_closed: asyncio.Event) -> tuple[float, float]:
        await is_open.wait()
        begun = time.perf_counter()
        async with lt.lap("timed in task") as lap:
            await asyncio.sleep(0)
        around = time.perf_counter() - begun
        await all_closed.wait()
        assert lap.seconds is not None
        return lap.seconds, around

    async def main() -> None:
        is_open, all_closed = asyncio.Event(), asyncio.Event()
        inner = asyncio.create_task(short(is_open, all_closed))
        async with lt.lap("timed in task") as lap:
            is_open.set()
            begun = time.perf_counter()
            await asyncio.sleep(0.05)
            inside = time.perf_counter() - begun
        all_closed.set()
        seconds, around = await inner
        assert lap.seconds is not None
        # Each task has its own, though the other's closed later.
        assert 0 < seconds <= 1.01 * around
        assert lap.seconds >= 0.99 * inside

    asyncio.run(main())


def test_async_exit_stack_takes_a_lap() -> None:
    async def main() -> None:
        async with contextlib.AsyncExitStack() as stack:
            await stack.enter_async_context(lt.lap("async stacked"))
            assert _core.current_path() == ["async stacked"]
        assert _core.current_path() == []

    asyncio.run(main())


def test_a_context_run_by_hand_has_a_stack_of_its_own() -> None:
    context = contextvars.copy_context()
    lap = lt.lap("by hand")
    with lt.lap("thread's own"):
        context.run(lap.__enter__)
        assert _core.current_path() == ["thread's own"]
        assert context.run(_core.current_path) == ["thread's own", "by hand"]
        context.run(lap.__exit__)
    assert context.run(_core.current_path) == ["thread's own"]


def test_contexts_are_not_kept_alive() -> None:
    lap = lt.lap("short-lived")
    references = []
    for _ in range(50):
        context = contextvars.copy_context()
        context.run(lap.__enter__)
        context.run(lap.__exit__)
        references.append(weakref.ref(context))
        del context
    gc.collect()
    assert [reference for reference in references if reference() is not None] == []


def test_a_context_that_dies_with_open_laps_closes_them_flagged() -> None:
    context = contextvars.copy_context()
    context.run(lt.lap("never closed in context").__enter__)
    del context
    gc.collect()
    row = lt.report()["never closed in context"]
    assert (row.count, row.unbalanced_count) == (1, 1)


def test_a_thread_that_ends_with_open_laps_closes_them_flagged() -> None:
    thread = threading.Thread(target=lt.lap("never closed in thread").__enter__)
    thread.start()
    thread.join()
    # The interpreter lets go of a thread a moment before the system ends it.
    ended_by = time.monotonic() + 10
    while "never closed in thread" not in lt.report():
        assert time.monotonic() < ended_by
    row = lt.report()["never closed in thread"]
    assert (row.count, row.unbalanced_count) == (1, 1)


def test_contexts_that_move_between_threads_stay_right() -> None:
    lap = lt.lap("moving")
    with ThreadPoolExecutor(4) as pool:
        for _ in range(200):
            context = contextvars.copy_context()
            pool.submit(context.run, lap.__enter__).result()
            assert pool.submit(context.run, _core.current_path).result() == ["moving"]
            pool.submit(context.run, lap.__exit__).result()
            assert pool.submit(_core.current_path).result() == []
    row = lt.report()["moving"]
    assert (row.count, row.unbalanced_count) == (200, 0)


def test_ten_thousand_tasks_leave_no_memory_behind() -> None:
    async def task() -> None:
        with lt.lap("one of many"):
            await asyncio.sleep(0)

    async def main(count: int) -> None:
        for _ in range(count // 100):
            await asyncio.gather(*(task() for _ in range(100)))

    asyncio.run(main(1_000))
    gc.collect()
    before = len(gc.get_objects())
    asyncio.run(main(10_000))
    gc.collect()
    assert len(gc.get_objects()) - before < 200


def test_generators_left_open_in_tasks_do_not_disturb_others() -> None:
    async def forgetful() -> None:
        lt.lap("forgotten").__enter__()

    async def main() -> None:
        with lt.lap("careful"):
            await asyncio.create_task(forgetful())
            assert _core.current_path() == ["careful"]

    asyncio.run(main())
    gc.collect()
    report = lt.report()
    assert report["careful"].unbalanced_count == 0
    assert report["careful/forgotten"].unbalanced_count == 1


def test_a_finalizer_that_opens_laps_may_run_inside_a_lap() -> None:
    class Cycle:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            with lt.lap("finalizer"):
                pass

    async def main() -> None:
        # So eager that allocations inside the laps themselves collect garbage.
        before = gc.get_threshold()
        gc.set_threshold(1)
        try:
            for number in range(2_000):
                Cycle()
                with lt.lap(f"while collecting {number}"):
                    pass
        finally:
            gc.set_threshold(*before)

    asyncio.run(main())
    gc.collect()
    finalized = sum(row.count or 0 for row in lt.report().find("finalizer"))
    assert finalized == 2_000


def _blocking(tmp_path: Path, main: Coroutine[Any, Any, None]) -> list[str]:
    """What is said about an event loop that laps hold."""
    with lt.record(tmp_path / "loop.lap"):
        asyncio.run(main)
    report = lt.open(tmp_path / "loop.lap").report()
    print(report)  # shown where a test fails
    return [found.text for found in report.findings if "blocks the event loop" in found.text]


def _compute(seconds: float) -> None:
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def test_a_lap_that_blocks_the_event_loop_is_named(tmp_path: Path) -> None:
    variable = contextvars.ContextVar("variable", default=0)

    @lt.lap("resize")
    def resize() -> None:
        variable.set(1)
        time.sleep(0.04)

    async def request(number: int) -> None:
        for _ in range(4):
            with lt.lap("request"):
                with lt.lap("wait"):
                    await asyncio.sleep(0.001)
                if number == 0:
                    resize()

    async def main() -> None:
        await asyncio.gather(*map(request, range(3)))

    (said,) = _blocking(tmp_path, main())
    assert re.match(r"request/resize blocks the event loop: \d times, for \d\d\.\d ms", said), said
    assert "asyncio.to_thread" in said


_AFTER_JAX = """
import asyncio, sys, time
import jax.numpy, laptime as lt
jax.numpy.ones(3).sum().block_until_ready()
@lt.lap("resize")
def resize(): time.sleep(0.04)
async def request(number):
    for _ in range(4):
        with lt.lap("request"):
            with lt.lap("wait"): await asyncio.sleep(0.001)
            if number == 0: resize()
async def main(): await asyncio.gather(*map(request, range(3)))
with lt.record(sys.argv[1]): asyncio.run(main())
"""


def test_a_lap_that_blocks_the_event_loop_of_a_program_with_jax_is_named(tmp_path: Path) -> None:
    pytest.importorskip("jax")
    path = tmp_path / "jax.lap"
    subprocess.run([sys.executable, "-c", _AFTER_JAX, str(path)], check=True)
    findings = lt.open(path).report().findings
    assert any(found.text.startswith("request/resize blocks the event loop") for found in findings)


def test_tasks_that_await_a_lock_a_queue_a_thread_or_nobody_block_nothing(tmp_path: Path) -> None:
    async def locked(lock: asyncio.Lock) -> None:
        for _ in range(3):
            async with lock:
                with lt.lap("locked"):
                    await asyncio.sleep(0.03)

    async def threaded() -> None:
        for _ in range(3):
            with lt.lap("threaded"):
                await asyncio.to_thread(_compute, 0.03)

    async def put(queue: asyncio.Queue[int]) -> None:
        for item in range(3):
            with lt.lap("produce"):
                await asyncio.sleep(0.03)
                await queue.put(item)

    async def get(queue: asyncio.Queue[int]) -> None:
        for _ in range(3):
            with lt.lap("get"):
                await queue.get()

    async def main() -> None:
        lock, queue = asyncio.Lock(), asyncio.Queue[int]()
        await asyncio.gather(locked(lock), locked(lock), threaded(), put(queue), get(queue))
        with lt.lap("alone"):
            for _ in range(5):
                with lt.lap("compute"):
                    _compute(0.03)

    assert _blocking(tmp_path, main()) == []
