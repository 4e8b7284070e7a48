"""Memory of laps by the history that the allocator keeps, and what the program sees of it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fake_history import HistoryAllocators

import laptime as lt
from laptime import _device_history, _device_memory

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


@pytest.fixture
def noted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What the recording is told at its end, which a process tells but once."""
    notes: list[str] = []
    monkeypatch.setattr(_device_memory, "note", lambda code, message: notes.append(message))
    return notes


def test_peaks_are_exact_and_nothing_is_reset(started_with_history: Started) -> None:
    allocators, _torch = started_with_history()
    used(allocators)
    with lt.lap("outer"):
        churn(allocators, 8 * MIB)
        with lt.lap("inner"):
            churn(allocators, 31 * MIB + 1)
        churn(allocators, 4 * MIB)
    # The free block of 200 MiB is split: what was asked for, rounded to 512.
    assert peaks("outer/inner") == (31 * MIB + 512, 31 * MIB + 512)
    assert peaks("outer") == (31 * MIB + 512, 31 * MIB + 512)
    assert allocators.resets == 0


def test_a_block_that_was_not_split_counts_whole(started_with_history: Started) -> None:
    allocators, _torch = started_with_history()
    used(allocators)
    allocators.empty_cache()
    with lt.lap("lap"):
        churn(allocators, 31 * MIB + 1)
    assert peaks("lap") == (32 * MIB, 32 * MIB)


def test_history_is_read_where_counters_do_not_tell(started_with_history: Started) -> None:
    allocators, _torch = started_with_history()
    used(allocators)
    with lt.lap("grows"):
        kept = allocators.allocate(5 * MIB)
    with lt.lap("shrinks"):
        allocators.free(kept)
    assert allocators.snapshots == [None], "once, for the blocks that there were"
    with lt.lap("both"):
        churn(allocators, 3 * MIB)
    assert [pool is None for pool in allocators.snapshots] == [True, False]
    assert [peaks(path) for path in ("grows", "shrinks", "both")] == [
        (5 * MIB, 5 * MIB),
        (0, 0),
        (3 * MIB, 3 * MIB),
    ]


def test_a_torch_that_hands_out_a_pools_entries_only_is_asked_for_all(
    started_with_history: Started,
) -> None:
    allocators, _torch = started_with_history()
    allocators.sorts_entries = True
    used(allocators)
    for _ in range(3):
        with lt.lap("lap"):
            churn(allocators, 3 * MIB)
    assert peaks("lap") == (3 * MIB, 3 * MIB)
    assert allocators.snapshots.count(None) == 4


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


def test_entries_that_were_overwritten_are_a_reason_and_no_number(
    started_with_history: Started,
    stopped: Callable[[], None],
    noted: list[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(_device_history, "MOST_ENTRIES", 8)
    allocators, _torch = started_with_history()
    used(allocators)
    with lt.lap("warm"):
        pass
    with lt.lap("long"):
        churn(allocators, 30 * MIB)
        for _ in range(20):
            churn(allocators, 5 * MIB)
    with lt.lap("short"):
        churn(allocators, 5 * MIB)
    least, most = peaks("long")
    assert least is not None
    assert most is not None
    assert least <= 30 * MIB <= most
    assert least < most
    assert peaks("short") == (5 * MIB, 5 * MIB), "it begins anew"
    stopped()
    assert "had not all calls of the allocator" in noted[0]


def test_other_threads_that_allocate_meanwhile_are_waited_for(
    started_with_history: Started,
) -> None:
    allocators, _torch = started_with_history()
    used(allocators)
    kept: list[int] = []

    def allocate() -> None:
        if len(kept) < 2:
            kept.append(allocators.allocate(3 * MIB))

    with lt.lap("lap"):
        churn(allocators, 5 * MIB)
        allocators.meanwhile = allocate
    assert peaks("lap") == (6 * MIB, 6 * MIB)
    assert len(kept) == 2


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


def test_a_torch_without_a_history_has_bounds_and_a_reason(
    started_with_history: Started, stopped: Callable[[], None], noted: list[str]
) -> None:
    allocators, _torch = started_with_history(without="_cuda_memorySnapshot")
    used(allocators)
    with lt.lap("lap"):
        churn(allocators, 5 * MIB)
    least, most = peaks("lap")
    assert least != most
    stopped()
    assert "this PyTorch keeps no history of its allocator" in noted[0]


def test_an_allocator_that_cannot_record_has_bounds_and_its_own_reason(
    started_with_history: Started, stopped: Callable[[], None], noted: list[str]
) -> None:
    allocators, _torch = started_with_history()

    def refuse(*_: Any) -> None:
        raise RuntimeError("cudaMallocAsync does not yet support recordHistory")

    allocators.record = refuse  # type: ignore[method-assign]
    used(allocators)
    with lt.lap("lap"):
        churn(allocators, 5 * MIB)
    assert peaks("lap") != (5 * MIB, 5 * MIB)
    stopped()
    assert "cudaMallocAsync does not yet support recordHistory" in noted[0]


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


TOLD = """
import sys
import fake_history
import laptime as lt

allocators = fake_history.HistoryAllocators()
torch = sys.modules["torch"] = fake_history.fake_torch(allocators)
torch.cuda.memory._record_memory_history()
with lt.record(sys.argv[1], memory=True, device_memory="history"):
    for name in ("first", "second"):
        with lt.lap(name):
            allocators.free(allocators.allocate(1 << 24))
print(" ".join(str(lt.open(sys.argv[1]).report()).split()))
"""


def test_a_report_tells_why_peaks_are_not_exact(tmp_path: Path, said: Callable[..., str]) -> None:
    reason = "once, as the program recorded the allocator's history for itself"
    assert f"within bounds where laps met: {reason}" in said(TOLD, str(tmp_path / "a.lap"))


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
    tmp_path: Path, said: Callable[..., str]
) -> None:
    pytest.importorskip("torch")
    assert said(REAL, str(tmp_path / "real.lap")).split() == [str(1 << 24)] * 4
