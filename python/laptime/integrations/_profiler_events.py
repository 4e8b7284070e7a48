"""What torch's profiler saw, as plain values: names, moments, threads, and what launched what."""

from __future__ import annotations

import threading
from typing import Any

#: What a mark of ours is called.
MARK = "laptime::mark"
#: What torch leaves out of its own tables too.
_LEFT_OUT = {
    "[memory]",
    "[OutOfMemory]",
    "profiler::_record_function_enter",
    "profiler::_record_function_enter_new",
    "profiler::_record_function_exit",
    "aten::is_leaf",
    "aten::output_nr",
    "aten::_version",
    MARK,
}
#: What a device does, by torch's names of activities, and its code.
_ON_DEVICE = {
    "kernel": 0,
    "concurrent_kernel": 0,
    "gpu_memcpy": 1,
    "gpu_memset": 2,
    "mtia_ccp_events": 0,
    "privateuse1_driver": 0,
}

#: Name, start and duration in ns, its thread by the profiler's number and the system's, its number
#: and that of what launched it, and of what ran on a device its kind, device and stream.
Seen = tuple[str, int, int, tuple[int, int], tuple[int, int], "tuple[int, int, int] | None"]


def _marks_of(events: list[Any]) -> list[Any]:
    ours = [event for event in events if event.name() == MARK]
    return sorted(ours, key=lambda event: event.start_ns())


def pairs_of(
    events: list[Any], marks: list[tuple[int, int]]
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Marks on our clock and on the profiler's; none where which is which isn't known."""
    ours = _marks_of(events)
    if len(ours) != len(marks):
        return []
    return [
        (mark, (event.start_ns(), event.start_ns() + event.duration_ns()))
        for mark, event in zip(marks, ours, strict=True)
    ]


def seen_of(events: list[Any], on_host: object) -> list[Seen]:
    """What is recorded of events; `on_host` is the type of device of operators."""
    ours = _marks_of(events)
    here = threading.get_native_id()
    main = ours[0].start_thread_id() if ours else 0
    # Where the profiler's name for our own thread is the system's, so are the others.
    knows_threads = bool(ours) and ours[0].device_resource_id() == here
    seen: list[Seen] = []
    for event in events:
        name = event.name()
        if name in _LEFT_OUT or _is_hidden(event):
            continue
        thread = event.start_thread_id()
        system, on_device = 0, None
        if event.device_type() != on_host:
            on_device = _on_device(event, name)
            if on_device is None:
                continue
        elif event.is_async() or event.end_thread_id() != thread:
            continue  # begins here and ends there: nobody's own time
        elif knows_threads:
            system = event.device_resource_id()
        elif thread == main:
            system = here
        numbers = event.correlation_id(), event.linked_correlation_id()
        took = event.duration_ns()
        seen.append((name, event.start_ns(), took, (thread, system), numbers, on_device))
    return seen


def _on_device(event: Any, name: str) -> tuple[int, int, int] | None:
    """Code, device and stream of what ran there; None for what only names a stretch of time."""
    activity = event.activity_type() if hasattr(event, "activity_type") else ""
    code = _ON_DEVICE.get(activity)
    if code is None and not activity:
        code = 1 if name.startswith("Memcpy") else 2 if name.startswith("Memset") else 0
    return None if code is None else (code, event.device_index(), event.device_resource_id())


def _is_hidden(event: Any) -> bool:
    hidden = getattr(event, "is_hidden_event", None)
    return hidden is not None and bool(hidden())
