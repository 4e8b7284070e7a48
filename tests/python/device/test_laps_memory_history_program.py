"""What the program sees of its allocator's history while laps are told by it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from fake_history import HistoryAllocators
from warm import Warm

import laptime as lt

MIB = 1 << 20
Started = Callable[..., tuple[HistoryAllocators, Any]]


def used(allocators: HistoryAllocators) -> None:
    """Its peak is higher than what comes."""
    allocators.free(allocators.allocate(200 * MIB))


def churn(allocators: HistoryAllocators, size: int) -> None:
    allocators.free(allocators.allocate(size))


def peaks(path: str) -> tuple[int | None, int | None]:
    row = lt.report()[path]
    return row.device_memory_peak_min_bytes, row.device_memory_peak_max_bytes


def test_a_program_that_records_its_history_keeps_it(started_with_history: Started) -> None:
    allocators, torch = started_with_history()
    used(allocators)
    record, snapshot = torch.cuda.memory._record_memory_history, torch.cuda.memory._snapshot
    with lt.lap("before"):
        churn(allocators, 3 * MIB)
        assert allocators.real[0].is_recorded
        assert not torch._C._cuda_isHistoryEnabled(), "the program has not switched it on"
        assert snapshot()["device_traces"] == [[]], "nor does it see what it has not asked for"
    record(max_entries=1000)
    with lt.lap("within"):
        churn(allocators, 5 * MIB)
        churn(allocators, 5 * MIB)
    trace = snapshot()["device_traces"][0]
    assert [entry["action"] for entry in trace] == [
        "alloc",
        "free_requested",
        "free_completed",
    ] * 2, "it is as if nobody else had recorded"
    assert torch._C._cuda_isHistoryEnabled()
    record(None)
    with lt.lap("between"):
        pass
    with lt.lap("after"):
        churn(allocators, 7 * MIB)
    assert peaks("before") == (3 * MIB, 3 * MIB)
    least, most = peaks("within")
    assert least is not None
    assert most is not None
    assert least <= 5 * MIB <= most
    assert least < most
    assert peaks("after") == (7 * MIB, 7 * MIB)


def test_a_history_that_is_on_already_is_left_alone(
    started_with_history: Started, stopped: Callable[[], None], noted: list[str]
) -> None:
    allocators, torch = started_with_history(is_recorded=True)
    used(allocators)
    with lt.lap("lap"):
        churn(allocators, 5 * MIB)
    assert len(torch.cuda.memory._snapshot()["device_traces"][0]) > 3
    stopped()
    assert allocators.real[0].is_recorded, "it is the program's"
    least, most = peaks("lap")
    assert least != most
    assert "the program recorded the allocator's history for itself" in noted[0]


def test_counts_that_the_program_lets_begin_anew_change_nothing(
    started_with_history: Started,
) -> None:
    allocators, torch = started_with_history()
    used(allocators)
    with lt.lap("lap"):
        kept = allocators.allocate(9 * MIB)
        allocators.free(kept)
        torch._C._cuda_resetAccumulatedMemoryStats(0)
        allocators.allocate(5 * MIB)
    assert peaks("lap") == (9 * MIB, 9 * MIB)


def test_everything_is_put_back_at_the_end(
    started_with_history: Started, stopped: Callable[[], None]
) -> None:
    allocators, torch = started_with_history()
    names = [name for name in vars(torch._C) if name.startswith("_cuda")]
    standing = {name: getattr(torch._C, name) for name in names}
    with lt.lap("lap"):
        churn(allocators, 5 * MIB)
    stopped()
    assert not allocators.real[0].is_recorded
    assert not allocators.real[0].trace
    changed = {name for name in names if getattr(torch._C, name) is not standing[name]}
    assert changed == {
        "_cuda_record_memory_history",
        "_cuda_isHistoryEnabled",
        "_cuda_memorySnapshot",
        "_cuda_resetPeakMemoryStats",
        "_cuda_resetAccumulatedMemoryStats",
    }
    assert torch._C._cuda_memorySnapshot.__name__ == "_cuda_memorySnapshot"
    assert not hasattr(torch._C._cuda_memorySnapshot, "__wrapped__")


def test_no_context_is_made_for_it(started_with_history: Started) -> None:
    allocators, torch = started_with_history(initialized=False)
    with lt.lap("before"):
        pass
    assert not allocators.real[0].is_recorded, "switching it on would initialise CUDA"
    torch.cuda._initialized = True
    used(allocators)
    with lt.lap("lap"):
        churn(allocators, 5 * MIB)
    assert peaks("lap") == (5 * MIB, 5 * MIB)


REAL = """
import sys
import torch
import fake_history
import laptime as lt

allocators = fake_history.HistoryAllocators()
fake_history.give_history(torch, allocators)
torch._C._cuda_memoryStats = allocators.stats
torch._C._cuda_resetPeakMemoryStats = allocators.reset
torch._C._cuda_getDevice = lambda: 0
torch._C._cuda_getDeviceCount = lambda: 1
torch.cuda._initialized = True
allocators.free(allocators.allocate(1 << 27))
with lt.record(sys.argv[1], memory=True, device_memory="history"):
    for name in ("first", "second"):
        with lt.lap(name):
            allocators.free(allocators.allocate(1 << 24))
            assert allocators.real[0].is_recorded
            assert torch.cuda.memory._snapshot()["device_traces"] == [[]]
    torch.cuda.memory._record_memory_history(max_entries=10)
    allocators.free(allocators.allocate(1 << 24))
    assert len(torch.cuda.memory._snapshot()["device_traces"][0]) == 3
    assert torch.cuda.max_memory_allocated(0) == 1 << 27
assert allocators.real[0].is_recorded
for row in ("first", "second"):
    row = lt.open(sys.argv[1]).report()[row]
    print(row.device_memory_peak_min_bytes, row.device_memory_peak_max_bytes)
"""


def test_the_real_pytorchs_functions_switch_it_and_hand_it_out(
    tmp_path: Path, said: Callable[..., str], warm: Warm
) -> None:
    assert said(REAL, str(tmp_path / "real.lap"), python=warm.python).split() == [str(1 << 24)] * 4
