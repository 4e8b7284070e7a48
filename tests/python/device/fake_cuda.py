"""A `torch.cuda` that does nothing but note its calls, with a clock that tests turn by hand.

Events are done when `device_ns`, the device's progress, has passed their place on their stream.
Allocations count at once, as the real allocator's do.
"""

from __future__ import annotations

import types
from typing import Any


class Stream:
    def __init__(self, cuda: FakeCuda, name: str) -> None:
        self.cuda, self.name = cuda, name
        #: When the work that was launched so far will be done.
        self.until_ns = 0

    def launch(self, ns: int) -> None:
        self.until_ns = max(self.until_ns, self.cuda.host_ns) + ns

    def synchronize(self) -> None:
        self.cuda.calls.append(f"{self.name}.synchronize")
        self.cuda.device_ns = max(self.cuda.device_ns, self.until_ns)


class Event:
    cuda: FakeCuda

    def __init__(self, enable_timing: bool = False) -> None:
        assert enable_timing, "an event without timing cannot tell a duration"
        self.stream: Stream | None = None
        self.at_ns = 0
        self.cuda.made += 1

    def record(self, stream: Stream | None = None) -> None:
        self.stream = stream or self.cuda.stream
        self.at_ns = max(self.stream.until_ns, self.cuda.host_ns)
        self.cuda.calls.append(f"record on {self.stream.name}")

    def query(self) -> bool:
        self.cuda.calls.append("query")
        assert not self.cuda.capturing, "a query ends the capture"
        return self.at_ns <= self.cuda.device_ns

    def synchronize(self) -> None:
        self.cuda.calls.append("event.synchronize")
        self.cuda.device_ns = max(self.cuda.device_ns, self.at_ns)

    def elapsed_time(self, end: Event) -> float:
        assert self.at_ns <= self.cuda.device_ns
        assert end.at_ns <= self.cuda.device_ns, "the event is not done: CUDA would raise"
        return (end.at_ns - self.at_ns) / 1e6


class FakeCuda(types.ModuleType):
    def __init__(self, nested: bool = True) -> None:
        super().__init__("torch.cuda")
        self.calls: list[str] = []
        self.made = 0
        self.host_ns = self.device_ns = 0
        self.initialized = True
        self.capturing = False
        self.stream = Stream(self, "default")
        self.current = self.peak = 0
        self.Event: type[Event] = type("Event", (Event,), {"cuda": self})
        if nested:
            self.memory_stats_as_nested_dict = self._nested

    def allocate(self, count: int) -> None:
        self.current += count
        self.peak = max(self.peak, self.current)

    def free(self, count: int) -> None:
        self.current -= count

    # What torch.cuda has.

    def is_available(self) -> bool:
        return True

    def is_initialized(self) -> bool:
        return self.initialized

    def is_current_stream_capturing(self) -> bool:
        return self.capturing

    def current_device(self) -> int:
        return 0

    def current_stream(self, device: Any = None) -> Stream:
        return self.stream

    def synchronize(self, device: Any = None) -> None:
        self.calls.append("synchronize")
        self.device_ns = max(self.device_ns, self.stream.until_ns)

    def memory_allocated(self, device: Any = None) -> int:
        return self.current

    def max_memory_allocated(self, device: Any = None) -> int:
        return self.peak

    def reset_peak_memory_stats(self, device: Any = None) -> None:
        self.calls.append("reset peak")
        self.peak = self.current

    def _nested(self, device: Any = None) -> dict[str, Any]:
        # As PyTorch's: some numbers have no pools, and some have neither current nor peak.
        return {
            "num_ooms": 0,
            "allocated_bytes": {"all": {"current": self.current, "peak": self.peak}},
            "oversize_allocations": {"current": 0, "peak": 0},
        }


def fake_torch(cuda: FakeCuda) -> types.ModuleType:
    """A `torch` for `sys.modules` with that device."""
    torch: Any = types.ModuleType("torch")
    torch.cuda = cuda
    torch.version = types.SimpleNamespace(cuda="13.0", hip=None)
    return torch
