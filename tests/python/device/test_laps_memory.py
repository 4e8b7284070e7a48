"""Memory of laps on devices: what each lap is told, and what the program reads meanwhile."""

from __future__ import annotations

import asyncio
import copy
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

import laptime as lt
from laptime import _device_memory

from fake_allocator import Allocators, fake_torch

GIB = 1 << 30
Started = Callable[..., tuple[Allocators, Any]]


@pytest.fixture
def started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Started]:
    """Begins a recording with a fake PyTorch: its allocators, and itself."""
    records: list[lt.Record] = []

    def start(
        mode: Any = "fold", count: int = 1, initialized: bool = True
    ) -> tuple[Allocators, Any]:
        allocators = Allocators(count)
        torch = fake_torch(allocators, initialized=initialized)
        monkeypatch.setitem(sys.modules, "torch", torch)
        lt.reset()
        path = tmp_path / "run.lap"
        records.append(lt.record(path, memory=True, device_memory=mode, force=True))
        return allocators, torch

    yield start
    for record in records:
        record.stop()
    lt.reset()


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
    path = tmp_path / "other.lap"
    sys.modules.pop("torch")
    del path
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
        assert least is not None and most is not None
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


@pytest.mark.parametrize("seed", range(40))
def test_the_program_reads_what_it_would_without_laptime(started: Started, seed: int) -> None:
    """Random allocations, laps that close in any order, and resets of the program's own."""
    random = Random(seed)
    allocators, torch = started("fold", count=2)
    cuda = torch.cuda
    held: list[list[int]] = [[], []]
    open_laps: list[Any] = []

    def check() -> None:
        for index, device in enumerate(allocators.alone):
            assert cuda.memory_stats_as_nested_dict(index) == device.told()
            assert cuda.max_memory_allocated(index) == device.allocated.peak
            assert cuda.max_memory_reserved(index) == device.reserved.peak

    def step() -> None:
        chosen = random.randrange(8)
        mine = held[allocators.current]
        if chosen < 2:
            mine.append(random.randrange(1, 500))
            allocators.allocate(mine[-1])
        elif chosen == 2 and mine:
            allocators.free(mine.pop(random.randrange(len(mine))))
        elif chosen == 3:
            open_laps.append(lt.lap(f"lap {random.randrange(5)}"))
            open_laps[-1].__enter__()
        elif chosen == 4 and open_laps:
            # Not always the innermost one.
            open_laps.pop(random.randrange(len(open_laps))).__exit__(None, None, None)
        elif chosen == 5 and random.random() < 0.3:
            allocators.each()[1].reset_peaks()
            cuda.reset_peak_memory_stats()
        elif chosen == 6:
            allocators.empty_cache()
        elif chosen == 7:
            allocators.current = random.randrange(2)

    for _ in range(150):
        step()
        check()
    for lap in reversed(open_laps):
        lap.__exit__(None, None, None)
    check()


def test_what_stood_in_goes_when_the_programs_peaks_are_its_own_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    allocators = Allocators()
    torch = fake_torch(allocators)
    before = dict(vars(torch._C))
    monkeypatch.setitem(sys.modules, "torch", torch)
    with lt.record(tmp_path / "a.lap", memory=True, device_memory="fold"):
        assert torch._C._cuda_memoryStats is not before["_cuda_memoryStats"]
        with lt.lap("quiet"):
            allocators.allocate(3)
    assert vars(torch._C) == before, "nothing was folded"
    with lt.record(tmp_path / "b.lap", memory=True, device_memory="fold"):
        with lt.lap("peak"):
            allocators.allocate(5)
            allocators.free(5)
        with lt.lap("after"):
            pass
    assert torch.cuda.max_memory_allocated() == 8, "the program's peak outlives the recording"
    torch.cuda.reset_peak_memory_stats()
    assert torch.cuda.max_memory_allocated() == 3
    assert vars(torch._C) == before
    lt.reset()


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
    # Both allocate, then the first frees: 15 at most; the second one still holds 5 as the first ends.
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


def test_an_allocator_that_cannot_be_read_ends_nothing_and_says_why(
    started: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(self: Allocators, index: int) -> Any:
        raise RuntimeError("this allocator has no statistics")

    monkeypatch.setattr(Allocators, "stats", fails)
    started("fold")
    with lt.lap("work"):
        pass
    _device_memory.stop()
    why = lt.report()["work"].why("device_memory_peak_max_bytes")
    assert why is not None
    assert "this allocator has no statistics" in why


def test_a_pytorch_without_cuda_is_a_reason(
    started: Started, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _allocators, torch = started("bounds")
    _device_memory.stop()
    del torch._C._cuda_memoryStats
    lt.reset()
    record = lt.record(tmp_path / "no.lap", memory=True)
    with lt.lap("work"):
        pass
    record.stop()
    report = lt.open(str(record.path)).report()
    why = report["work"].why("device_memory_net_max_bytes")
    assert why == "memory of devices was not read: this PyTorch is built without CUDA"
    assert "built without CUDA" not in str(report)


def test_timers_and_laps_read_the_same_allocator(started: Started) -> None:
    from laptime import device

    allocators, torch = started("fold")
    del device
    cuda = torch.cuda
    with lt.lap("around"):
        allocators.allocate(6)
        allocators.free(6)
        # As a timer does: it folds for itself, through the program's functions.
        assert cuda.max_memory_allocated() == 6
        cuda.reset_peak_memory_stats()
        with lt.lap("inside"):
            allocators.allocate(2)
            allocators.free(2)
        assert cuda.max_memory_allocated() == 2
    report = lt.report()
    assert of_device(report["around"])[2:] == (6, 6)
    assert of_device(report["around/inside"])[2:] == (2, 2)


def test_an_unknown_way_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="'bounds' or 'fold', not 'exact'"):
        lt.record(tmp_path / "a.lap", memory=True, device_memory="exact")  # type: ignore[arg-type]


REAL = """
import copy, pickle, sys
import torch
from fake_allocator import Allocators
import laptime as lt

allocators = Allocators()
torch._C._cuda_memoryStats = allocators.stats
torch._C._cuda_resetPeakMemoryStats = allocators.reset
torch._C._cuda_getDevice = lambda: 0
torch._C._cuda_getDeviceCount = lambda: 1
torch.cuda._initialized = True
names = [n for n in dir(torch.cuda) if "memory" in n and callable(getattr(torch.cuda, n))]
before = {n: getattr(torch.cuda, n) for n in names}
early = torch.cuda.max_memory_allocated
with lt.record(sys.argv[1], memory=True, device_memory="fold"):
    with lt.lap("work"):
        allocators.allocate(100)
        allocators.free(60)
    with lt.lap("after"):
        pass
    assert allocators.real[0].allocated.peak == 40, "it was reset"
    assert early(0) == torch.cuda.max_memory_allocated(0) == 100
    assert torch.cuda.max_memory_reserved(0) == 128
    assert torch.cuda.memory_stats(0)["allocated_bytes.large_pool.peak"] == 100
    assert torch.cuda.memory_stats(0)["oversize_allocations.peak"] == 1
    for name in names:
        function = getattr(torch.cuda, name)
        assert function is before[name] is copy.deepcopy(function), name
        assert pickle.loads(pickle.dumps(function)) is function, name
    torch.cuda.reset_peak_memory_stats(0)
    assert torch.cuda.max_memory_allocated(0) == 40
row = lt.open(sys.argv[1]).report()["work"]
print(row.device_memory_net_max_bytes, row.device_memory_peak_max_bytes)
"""


def test_the_real_pytorchs_functions_stay_what_they_are_and_tell_the_truth(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    done = subprocess.run(
        [sys.executable, "-c", REAL, str(tmp_path / "real.lap")],
        cwd=Path(__file__).parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["40", "100"]


def test_stand_ins_can_be_copied_and_pickled(started: Started) -> None:
    _allocators, torch = started("fold")
    stand_in = torch._C._cuda_memoryStats
    assert copy.deepcopy(stand_in) is stand_in
    assert stand_in.__name__ == "_cuda_memoryStats"
    assert pickle.dumps(torch.cuda.__name__)
