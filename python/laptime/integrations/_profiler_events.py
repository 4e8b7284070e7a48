"""What torch's profiler saw, as plain values: names, moments, threads, and what launched what.

Newer versions of torch tell which activity an event is (2.15); with others (2.11) its name does.
Numbers are as CUPTI has them: a stream or a thread that isn't known is negative, and a kernel whose
end was lost has none. Such an event is left out, or what isn't known of it is.
"""

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
#: What is on a device's track and is no work: waits, and records of events.
_WAITS = {
    "Event Sync",
    "Stream Wait Event",
    "Stream Sync",
    "Context Sync",
    "Unknown Sync",
    "cudaEvent",
}
#: What the profiler and the driver do beside the program, on no thread's own account.
_OVERHEAD = {
    "Unknown",
    "Unrecognized",
    "Driver",
    "Driver Compiler",
    "Buffer Flush",
    "Instrumentation",
    "Resource",
    "Runtime Triggered Module Loading",
    "Lazy Function Loading",
    "Command Buffer Full",
    "Activity Buffer Request",
    "Force Int",
}
_NO_OPERATORS = {"overhead", "cuda_sync", "cuda_event", "hardware_counters"}
#: The scope of `record_function`, in torch's numbers.
_USER_SCOPE = 7
#: Nothing lasts longer, in ns: an end that is missing makes a difference beyond it. 11 days.
_LONGEST_NS = 10**15

#: Name, start and duration in ns, its thread by the profiler's number and the system's, its number
#: and that of what launched it, and of what ran on a device its kind, device and stream.
Seen = tuple[str, int, int, tuple[int, int], tuple[int, int], "tuple[int, int, int] | None"]


def _marks_of(events: list[Any], on_host: object) -> list[Any]:
    ours = [event for event in events if event.name() == MARK and event.device_type() == on_host]
    return sorted(ours, key=lambda event: event.start_ns())


def pairs_of(
    events: list[Any], on_host: object, marks: list[tuple[int, int]]
) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Marks on our clock and on the profiler's; none where which is which isn't known."""
    ours = _marks_of(events, on_host)
    if len(ours) != len(marks):
        return []
    times = ((event.start_ns(), event.duration_ns()) for event in ours)
    return [
        (mark, (start, start + took))
        for mark, (start, took) in zip(marks, times, strict=True)
        if _is_a_time(start, took)
    ]


def seen_of(events: list[Any], on_host: object) -> list[Seen]:
    """What is recorded of events; `on_host` is the type of device of operators."""
    ours = _marks_of(events, on_host)
    here = threading.get_native_id()
    main = ours[0].start_thread_id() if ours else 0
    # Where the profiler's name for our own thread is the system's, so are the others.
    knows_threads = bool(ours) and ours[0].device_resource_id() == here
    systems: dict[int, Any] = {}
    ranges = _ranges_of(events, on_host)
    seen: list[Seen] = []
    for event in events:
        name = event.name()
        start, took = event.start_ns(), event.duration_ns()
        if name in _LEFT_OUT or not _is_a_time(start, took) or _is_hidden(event):
            continue
        thread = event.start_thread_id()
        by = event.linked_correlation_id()
        system, on_device = 0, None
        if event.device_type() != on_host:
            on_device = _on_device(event, name, ranges)
            if on_device is None:
                continue
        elif _is_no_operator(event, name):
            continue
        elif event.is_async() or event.end_thread_id() != thread:
            continue  # begins here and ends there: nobody's own time
        elif knows_threads:
            system = event.device_resource_id()
            if by > 0:  # a call of the driver's, which has its own idea of a thread's number
                system = systems.get(thread, system)
            else:
                systems.setdefault(thread, system)
        elif thread == main:
            system = here
        threads = _known(thread), _known(system)
        numbers = _known(event.correlation_id()), _known(by)
        seen.append((name, start, took, threads, numbers, on_device))
    return seen


def _known(number: int) -> int:
    """A number of a thread, a stream or an event; 0 where it isn't known."""
    return number if 0 <= number < 1 << 64 else 0


def _is_a_time(start: int, took: int) -> bool:
    """Whether something began then, and ended."""
    return 0 < start < 1 << 63 and 0 <= took <= _LONGEST_NS


def _activity(event: Any) -> str:
    """Which activity it is; empty where torch doesn't tell."""
    told = getattr(event, "activity_type", None)
    return "" if told is None else told()


def _is_no_operator(event: Any, name: str) -> bool:
    activity = _activity(event)
    if activity:
        return activity in _NO_OPERATORS
    return (name in _OVERHEAD or name in _WAITS) and not _is_range(event)


def _on_device(event: Any, name: str, ranges: set[str]) -> tuple[int, int, int] | None:
    """Code, device and stream of what ran there; None for what only names a stretch of time."""
    device, stream = event.device_index(), _known(event.device_resource_id())
    if not 0 <= device < 1 << 32:
        return None
    activity = _activity(event)
    if activity:
        code = _ON_DEVICE.get(activity)
        return None if code is None else (code, device, stream)
    if name in _WAITS or name in _OVERHEAD or name in ranges or _is_range(event):
        return None
    code = 1 if name.startswith("Memcpy") else 2 if name.startswith("Memset") else 0
    return code, device, stream


def _is_range(event: Any) -> bool:
    """Whether it is a range that the program named, or its shadow on the device."""
    told = getattr(event, "is_user_annotation", None)
    return told is not None and bool(told())


def _ranges_of(events: list[Any], on_host: object) -> set[str]:
    """Names of the program's ranges, where torch doesn't say of their shadows that they are."""
    if not events or hasattr(events[0], "is_user_annotation"):
        return set()
    on_hosts = (event for event in events if event.device_type() == on_host)
    return {event.name() for event in on_hosts if event.scope() == _USER_SCOPE}


def _is_hidden(event: Any) -> bool:
    hidden = getattr(event, "is_hidden_event", None)
    return hidden is not None and bool(hidden())
