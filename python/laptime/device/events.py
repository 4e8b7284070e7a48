"""Event pairs on a stream: recorded at once, read when their number is used.

Nothing here waits but `Pair.wait`. Events are reused: those of a pair go back to the pool as soon
as its number is known.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from .._core import now, ticks_to_ns

if TYPE_CHECKING:
    from ._probe import Probe

#: After this long a timeline gets a new anchor. Events tell a distance as 32-bit milliseconds:
#: an hour after its anchor, ten microseconds would be nothing.
ANCHORED_NS = 1_000_000_000
#: Pairs that are looked at when one is added: more than are added, so those that are done go.
LOOKS = 2
#: Events kept for reuse.
POOLED = 256


class Anchor:
    """An event whose place on the host's clock is known, through the anchors before it."""

    __slots__ = ("_ticks", "before", "event", "host")

    def __init__(self, event: Any, before: Anchor | None, host: int) -> None:
        self.event = event
        self.before = before
        self.host = host
        self._ticks: int | None = host if before is None else None

    def ticks(self, per_ns: float) -> int:
        """When the event happened, in ticks of the host's clock. The event is done."""
        chain: list[Anchor] = []
        anchor = self
        while anchor._ticks is None and anchor.before is not None:
            chain.append(anchor)
            anchor = anchor.before
        for later in reversed(chain):
            assert later.before is not None
            assert later.before._ticks is not None
            ns = later.before.event.elapsed_time(later.event) * 1e6
            later._ticks = later.before._ticks + round(ns * per_ns)
            later.before = None
        assert self._ticks is not None
        return self._ticks


class Start:
    """A segment's start: its event, the stream it is on, and the anchor before it."""

    __slots__ = ("anchor", "event", "stream")

    def __init__(self, event: Any, stream: Any, anchor: Anchor) -> None:
        self.event, self.stream, self.anchor = event, stream, anchor


class Pair:
    """A segment's two events, and then its number."""

    __slots__ = ("_known", "_timeline", "end", "start")

    def __init__(self, timeline: Timeline, start: Start, end: Any) -> None:
        self._timeline = timeline
        self.start: Start | None = start
        self.end: Any = end
        self._known: tuple[int, int] | None = None

    def settle(self, wait: bool) -> tuple[int, int] | None:
        """Nanoseconds between the events, and the start in ticks; None: the device is behind."""
        if self._known is None and self.start is not None:
            if wait:
                self.end.synchronize()
            elif not self.end.query():
                return None
            start = self.start
            per_ns = 1e9 / ticks_to_ns(1_000_000_000)
            ns = round(start.event.elapsed_time(self.end) * 1e6)
            after_ns = start.anchor.event.elapsed_time(start.event) * 1e6
            ticks = start.anchor.ticks(per_ns) + round(after_ns * per_ns)
            self._known = (max(ns, 0), max(ticks, 0))
            self.start = None
            self._timeline.give_back(start.event, self.end)
            self.end = None
        return self._known


class Timeline:
    """The events of one device for one timer."""

    def __init__(self, probe: Probe, device: int | None, stream: Any) -> None:
        self._probe = probe
        self._device = device
        self._stream = stream
        self._pool: list[Any] = []
        self._open: deque[Pair] = deque()
        self._anchor: Anchor | None = None

    def record(self) -> Start:
        """A start on the stream that is current now, or on the timer's own."""
        stream = self._stream if self._stream is not None else self._current_stream()
        host = now()
        anchor = self._anchor
        if anchor is None or ticks_to_ns(host - anchor.host) > ANCHORED_NS:
            event = self._event()
            event.record(stream)
            anchor = self._anchor = Anchor(event, anchor, host)
        event = self._event()
        event.record(stream)
        return Start(event, stream, anchor)

    def pair(self, start: Start) -> Pair:
        """The end of a segment, on the stream of its start."""
        end = self._event()
        end.record(start.stream)
        pair = Pair(self, start, end)
        self._open.append(pair)
        return pair

    def drain(self) -> None:
        """Takes the numbers of pairs that are done, oldest first."""
        for _ in range(LOOKS):
            if not self._open or self._open[0].settle(wait=False) is None:
                return
            self._open.popleft()

    def give_back(self, *events: Any) -> None:
        if len(self._pool) < POOLED:
            self._pool.extend(events)

    def _event(self) -> Any:
        if self._pool:
            return self._pool.pop()
        if self._probe.kind == "cuda":
            return self._probe.module.Event(enable_timing=True)
        # Every other accelerator's, by the names they share.
        return self._probe.torch.Event(self._probe.kind, enable_timing=True)

    def _current_stream(self) -> Any:
        shared = self._probe.kind != "cuda"
        module = self._probe.torch.accelerator if shared else self._probe.module
        current = module.current_stream
        return current() if self._device is None else current(self._device)
