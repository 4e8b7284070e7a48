"""Memory of laps on devices: what each lap is told, and what the program reads meanwhile."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

from fake_allocator import Allocators

import laptime as lt

GIB = 1 << 30
Started = Callable[..., tuple[Allocators, Any]]


def nested(allocators: Allocators) -> None:
    """Laps in laps, with 1, 2 and 4 GiB and frees between them."""
    with lt.lap("outer"):
        allocators.allocate(1 * GIB)
        with lt.lap("inner"):
            allocators.allocate(2 * GIB)
            allocators.free(2 * GIB)
        allocators.allocate(4 * GIB)
        allocators.free(4 * GIB)
        with lt.lap("last"):
            allocators.free(1 * GIB)
            allocators.allocate(2 * GIB)


def of_device(row: lt.SpanSummary) -> tuple[int | None, ...]:
    return (
        row.device_memory_net_min_bytes,
        row.device_memory_net_max_bytes,
        row.device_memory_peak_min_bytes,
        row.device_memory_peak_max_bytes,
    )


def test_folded_memory_is_exact_to_the_byte_however_laps_nest(started: Started) -> None:
    allocators, _torch = started("fold")
    nested(allocators)
    report = lt.report()
    assert of_device(report["outer"]) == (2 * GIB, 2 * GIB, 5 * GIB, 5 * GIB)
    assert of_device(report["outer/inner"]) == (0, 0, 2 * GIB, 2 * GIB)
    assert of_device(report["outer/last"]) == (GIB, GIB, GIB, GIB)
    assert report["outer"].device_memory_reserved_bytes == 5 * GIB
    assert not report["outer"].warnings
    assert allocators.resets > 0
    assert "device peak" in str(report)


def test_a_recording_tells_the_same_as_the_process(tmp_path: Path, started: Started) -> None:
    allocators, _torch = started("fold")
    nested(allocators)
    live = lt.report()
    recorded = lt.open(str(tmp_path / "run.lap")).report()
    for name in ("outer", "outer/inner", "outer/last"):
        assert of_device(recorded[name]) == of_device(live[name])


def test_bounds_hold_the_truth_and_change_nothing_of_the_allocator(started: Started) -> None:
    allocators, torch = started("bounds")
    tells = torch._C._cuda_memoryStats
    nested(allocators)
    report = lt.report()
    for path, net, peak in (
        ("outer", 2 * GIB, 5 * GIB),
        ("outer/inner", 0, 2 * GIB),
        ("outer/last", GIB, GIB),
    ):
        least_net, most_net, least, most = of_device(report[path])
        assert (least_net, most_net) == (net, net)
        assert least is not None
        assert most is not None
        assert least <= peak <= most
    assert of_device(report["outer"])[2:] == (5 * GIB, 5 * GIB), "it reached a new peak"
    assert of_device(report["outer/last"])[2:] == (GIB, 4 * GIB)
    assert "upper bound" in report["outer/last"].warnings[0]
    assert allocators.resets == 0
    assert torch._C._cuda_memoryStats is tells, "nothing stands in for it"


def test_a_reset_of_the_programs_own_leaves_bounds_right(started: Started) -> None:
    allocators, torch = started("bounds")
    with lt.lap("outer"):
        allocators.allocate(10 * GIB)
        allocators.free(10 * GIB)
        torch.cuda.reset_peak_memory_stats()
        allocators.allocate(GIB)
    assert of_device(lt.report()["outer"]) == (GIB, GIB, 10 * GIB, 10 * GIB)


def test_laps_of_two_threads_see_what_happened_meanwhile(started: Started) -> None:
    allocators, _torch = started("fold")
    is_open, may_close = threading.Event(), threading.Event()

    def other() -> None:
        with lt.lap("other"):
            is_open.set()
            may_close.wait(60)

    thread = threading.Thread(target=other)
    thread.start()
    assert is_open.wait(60)
    with lt.lap("own"):
        allocators.allocate(7)
        allocators.free(4)
    may_close.set()
    thread.join()
    report = lt.report()
    assert of_device(report["own"]) == (3, 3, 7, 7)
    assert of_device(report["other"]) == (3, 3, 7, 7)


def test_laps_of_tasks_are_told_what_happened_while_they_were_open(started: Started) -> None:
    allocators, _torch = started("fold")

    async def work(name: str, count: int) -> None:
        async with lt.lap(name):
            allocators.allocate(count)
            await asyncio.sleep(0)
            allocators.free(count)

    async def main() -> None:
        await asyncio.gather(work("a", 10), work("b", 5))

    asyncio.run(main())
    report = lt.report()
    # Both allocate, then the first frees: 15 at most; the second holds 5 as the first ends.
    assert of_device(report["a"]) == (5, 5, 15, 15)
    assert of_device(report["b"]) == (-10, -10, 5, 5)


def test_a_lap_inside_itself_has_its_own_memory(started: Started) -> None:
    allocators, _torch = started("fold")

    def work(depth: int) -> None:
        with lt.lap("again"):
            allocators.allocate(1)
            if depth:
                work(depth - 1)
            allocators.free(1)

    work(2)
    report = lt.report()
    paths = ["again", "again/again", "again/again/again"]
    assert [report[path].device_memory_peak_max_bytes for path in paths] == [3, 2, 1]


def test_a_device_that_comes_into_use_inside_a_lap_began_empty(started: Started) -> None:
    allocators, torch = started("fold", initialized=False)
    with lt.lap("build"):
        with lt.lap("before"):
            pass
        torch.cuda._initialized = True
        allocators.allocate(GIB)
    report = lt.report()
    assert of_device(report["build"]) == (GIB, GIB, GIB, GIB)
    assert report["build/before"].device_memory_net_max_bytes is None


def test_each_device_in_use_is_read(started: Started) -> None:
    allocators, _torch = started("fold", count=4)
    with lt.lap("first"):
        allocators.allocate(1)
        allocators.current = 2
        allocators.allocate(10)
    with lt.lap("second"):
        allocators.free(3)
    second = lt.report()["second"]
    assert of_device(second) == (-3, 0, 0, 0), "device 2 lost 3 bytes, and device 0 nothing"
