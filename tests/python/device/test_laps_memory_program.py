"""What the program reads of its allocator while laps are told their memory exactly."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest
from fake_allocator import Allocators, fake_torch
from warm import Warm

import laptime as lt

Started = Callable[..., tuple[Allocators, Any]]


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


def test_timers_and_laps_read_the_same_allocator(started: Started) -> None:
    allocators, torch = started("fold")
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
    assert report["around"].device_memory_peak_max_bytes == 6
    assert report["around/inside"].device_memory_peak_max_bytes == 2


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


def test_the_real_pytorchs_functions_stay_what_they_are_and_tell_the_truth(
    tmp_path: Path, said: Callable[..., str], warm: Warm
) -> None:
    assert said(REAL, str(tmp_path / "real.lap"), python=warm.python).split() == ["40", "100"]


def test_a_stand_in_is_called_as_what_it_stands_in_for(started: Started) -> None:
    _allocators, torch = started("fold")
    stand_in = torch._C._cuda_memoryStats
    assert copy.deepcopy(stand_in) is stand_in
    assert stand_in.__name__ == "_cuda_memoryStats"
