"""A device whose allocator hands out blocks at addresses and keeps a history, as PyTorch's does.

Sizes are rounded, free blocks split and merged, and entries of the history are written in the
order and with the keys that PyTorch 2.15 has: they tell what was asked for, not how large the
block became.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Any

from fake_allocator import Counter, Device

MIB = 1 << 20


@dataclass
class Block:
    address: int
    size: int
    segment: int
    state: str = "inactive"
    asked: int = 0


class Blocks(Device):
    def __init__(self, index: int = 0) -> None:
        super().__init__()
        self.index = index
        self.calls, self.active = Counter(), Counter()
        self.blocks: dict[int, Block] = {}
        self.segments: dict[int, int] = {}
        self._next = 1 << 40
        self.is_recorded = False
        self.trace: deque[dict[str, Any]] = deque(maxlen=1)

    def _counters(self) -> tuple[Counter, ...]:
        return (*super()._counters(), self.calls, self.active)

    def told(self) -> dict[str, Any]:
        def pools(counter: Counter) -> dict[str, dict[str, int]]:
            return {"all": counter.told(), "large_pool": counter.told()}

        return {
            **super().told(),
            "allocation": pools(self.calls),
            "active_bytes": pools(self.active),
        }

    def restart_counts(self) -> None:
        for counter in self._counters():
            counter.allocated = counter.freed = 0

    # Blocks.

    def allocate(self, count: int) -> int:
        size = max(512, -(-count // 512) * 512)
        is_small = size <= MIB
        fits = [
            block
            for block in self.blocks.values()
            if block.state == "inactive"
            and block.size >= size
            and (self.segments[block.segment] == 2 * MIB) == is_small
        ]
        block = min(fits, key=lambda one: (one.size, one.address), default=None)
        block = block or self._reserve(size)
        rest = block.size - size
        if rest >= 512 if is_small else rest > MIB:
            block.size = size
            after = block.address + size
            self.blocks[after] = Block(after, rest, block.segment)
        block.state, block.asked = "active_allocated", count
        self._write("alloc", block.address, count)
        self.allocated.add(block.size)
        self.active.add(block.size)
        self.calls.add(1)
        return block.address

    def _reserve(self, size: int) -> Block:
        whole = 2 * MIB if size <= MIB else 20 * MIB
        if size >= 10 * MIB:
            whole = -(-size // (2 * MIB)) * 2 * MIB
        address, self._next = self._next, self._next + whole
        self.segments[address] = whole
        self.reserved.add(whole)
        self._write("segment_alloc", address, whole)
        self.blocks[address] = Block(address, whole, address)
        return self.blocks[address]

    def free(self, count: int, waits: bool = False) -> None:
        # What is freed is told by its address.
        block = self.blocks[count]
        assert block.state == "active_allocated"
        block.state = "active_pending_free"
        self.allocated.add(-block.size)
        self.calls.add(-1)
        self._write("free_requested", block.address, block.asked)
        if not waits:
            self._complete(block)

    def _complete(self, block: Block) -> None:
        self._write("free_completed", block.address, block.asked)
        self.active.add(-block.size)
        block.state = "inactive"
        for before, after in zip(self._inside(block.segment), self._inside(block.segment)[1:]):
            if before.state == after.state == "inactive":
                # What they become may be the former of the next pair.
                del self.blocks[before.address], self.blocks[after.address]
                after.address, after.size = before.address, before.size + after.size
                self.blocks[after.address] = after

    def _inside(self, segment: int) -> list[Block]:
        inside = (block for block in self.blocks.values() if block.segment == segment)
        return sorted(inside, key=lambda block: block.address)

    def catch_up(self) -> None:
        for block in list(self.blocks.values()):
            if block.state == "active_pending_free":
                self._complete(block)

    def empty_cache(self) -> None:
        self.catch_up()
        for address, size in list(self.segments.items()):
            block = self.blocks[address]
            if block.state == "inactive" and block.size == size:
                del self.blocks[address], self.segments[address]
                self.reserved.add(-size)
                self._write("segment_free", address, size)

    # Its history.

    def _write(self, action: str, address: int, size: int) -> None:
        if self.is_recorded:
            entry = {"action": action, "addr": address, "size": size, "stream": 0}
            self.trace.append({**entry, "time_us": 1, "compile_context": "N/A"})

    def record(self, enabled: Any, entries: int, clear: bool) -> None:
        self.is_recorded = bool(enabled)
        kept = [] if clear or not enabled else self.trace
        self.trace = deque(kept, maxlen=entries if enabled == "all" else 1)

    def snapshot(self, all_pools: bool = True) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        trace, segments = [dict(entry) for entry in self.trace], []
        for address, size in sorted(self.segments.items()) if all_pools else ():
            blocks = [
                {
                    "address": one.address,
                    "size": one.size,
                    "requested_size": one.asked,
                    "state": one.state,
                    "frames": [],
                }
                for one in self._inside(address)
            ]
            segment = {"device": self.index, "address": address, "total_size": size}
            segments.append({**segment, "is_expandable": False, "blocks": blocks})
        self._write("snapshot", 0, self.active.current)
        return trace, segments
