"""Random programs on several devices and in threads, read in each way, beside a plain model.

Twenty programs take eight seconds: the model looks at every lap and device after every step.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from queue import SimpleQueue
from random import Random
from typing import Any

import pytest
from fake_allocator import Allocators

import laptime as lt

MIB = 1 << 20
#: Programs for each way; with `--all` so many times as many.
PROGRAMS, ALL = 20, 10
STEPS = 60


class Lap:
    """What a lap is told, by one that remembers everything, for each device."""

    def __init__(self, name: str, allocators: Allocators, owner: int) -> None:
        self.name, self.owner, self.open = name, owner, lt.lap(name)
        self.start = [device.allocated.current for device in allocators.real]
        self.most = list(self.start)
        self.net: list[int] = []

    def see(self, allocators: Allocators) -> None:
        for index, device in enumerate(allocators.real):
            self.most[index] = max(self.most[index], device.allocated.current)

    def close(self, allocators: Allocators) -> None:
        levels = [device.allocated.current for device in allocators.real]
        self.net = [end - start for end, start in zip(levels, self.start, strict=True)]

    def peaks(self) -> list[int]:
        return [most - start for most, start in zip(self.most, self.start, strict=True)]


class Thread:
    """Does what it is handed, one after another."""

    def __init__(self) -> None:
        self._work: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._done: SimpleQueue[BaseException | None] = SimpleQueue()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        while work := self._work.get():
            try:
                work()
            except BaseException as error:
                self._done.put(error)
            else:
                self._done.put(None)

    def do(self, work: Callable[[], None]) -> None:
        self._work.put(work)
        error = self._done.get(timeout=60)
        if error is not None:
            raise error

    def end(self) -> None:
        self._work.put(None)
        self._thread.join(60)


class Program:
    """Allocations, laps that nest in each thread, and resets of the program's own peaks."""

    def __init__(self, seed: int, allocators: Allocators, torch: Any) -> None:
        self.random, self.allocators, self.torch = Random(seed), allocators, torch
        self.held: list[list[int]] = [[] for _ in allocators.real]
        self.threads = [Thread() for _ in range(2)]
        self.open: list[Lap] = []
        self.closed: list[Lap] = []

    def run(self) -> list[Lap]:
        try:
            for _ in range(STEPS):
                self.step()
                for lap in self.open:
                    lap.see(self.allocators)
                self.check_the_programs_peaks()
            while self.open:
                self.close(self.open[-1])
        finally:
            for thread in self.threads:
                thread.end()
        return self.closed

    def step(self) -> None:
        allocators, random = self.allocators, self.random
        mine = self.held[allocators.current]
        chosen = random.randrange(12)
        if chosen < 4 and len(mine) < 12:
            mine.append(self.size())
            allocators.allocate(mine[-1])
        elif chosen < 7 and mine:
            allocators.free(mine.pop(random.randrange(len(mine))))
        elif chosen == 7:
            allocators.current = random.randrange(len(allocators.real))
        elif chosen == 8 and random.random() < 0.5:
            allocators.empty_cache()
        elif chosen == 9 and random.random() < 0.5:
            allocators.each()[1].reset_peaks()
            self.torch.cuda.reset_peak_memory_stats()
        elif chosen == 10 and len(self.open) + len(self.closed) < 8:
            self.begin(f"lap {len(self.open) + len(self.closed)}")
        elif chosen == 11 and self.open:
            self.close(random.choice(self.open))

    def size(self) -> int:
        return self.random.randrange(1, self.random.choice([2_000, MIB, 12 * MIB, 40 * MIB]))

    def begin(self, name: str) -> None:
        owner = self.random.randrange(2)
        lap = Lap(name, self.allocators, owner)
        self.threads[owner].do(lambda: lap.open.__enter__() and None)
        self.open.append(lap)

    def close(self, lap: Lap) -> None:
        # Not always the innermost of its thread.
        self.threads[lap.owner].do(lambda: lap.open.__exit__(None, None, None) and None)
        self.open.remove(lap)
        lap.close(self.allocators)
        self.closed.append(lap)

    def check_the_programs_peaks(self) -> None:
        for index, device in enumerate(self.allocators.alone):
            assert self.torch.cuda.memory_stats_as_nested_dict(index) == device.told()
            assert self.torch.cuda.max_memory_allocated(index) == device.allocated.peak


@pytest.mark.parametrize("mode", ["bounds", "fold"])
def test_each_way_tells_the_truth_of_random_programs(
    started: Callable[..., Any],
    stopped: Callable[[], None],
    mode: str,
    request: pytest.FixtureRequest,
) -> None:
    exact = told = 0
    programs = PROGRAMS * (ALL if request.config.getoption("--all") else 1)
    for seed in range(programs):
        allocators, torch = started(mode, count=1 + seed % 3)
        # All are in use before the first lap, and remain so.
        for index in range(len(allocators.real)):
            allocators.current = index
            allocators.allocate(3 * MIB)
        laps = Program(seed, allocators, torch).run()
        report = lt.report()
        stopped()
        for lap in laps:
            row = report.find(f"**/{lap.name}")[0]
            least, most = row.device_memory_peak_min_bytes, row.device_memory_peak_max_bytes
            assert least is not None, (seed, lap.name)
            assert most is not None
            nets = row.device_memory_net_min_bytes, row.device_memory_net_max_bytes
            assert nets == (min(lap.net), max(lap.net)), (seed, lap.name)
            truth = min(lap.peaks()), max(lap.peaks())
            assert least <= truth[0] <= truth[1] <= most, (seed, lap.name)
            told += 1
            exact += (least, most) == truth
            assert mode == "bounds" or (least, most) == truth, (seed, lap.name)
    assert told > programs
    assert (exact == told) is (mode != "bounds")
