"""Events of torch's profiler, scripted in the shapes that its versions give them."""

from __future__ import annotations

from typing import Any

CPU, CUDA = "cpu", "cuda"
#: What a negative number becomes where the profiler keeps it without a sign.
UNSIGNED = 1 << 64


class Told:
    """An event that only says what it was given, by methods as torch's do."""

    def __init__(self, **said: Any) -> None:
        self._said = said

    def __getattr__(self, name: str) -> Any:
        said = object.__getattribute__(self, "_said")
        if name not in said:
            raise AttributeError(name)
        return lambda: said[name]


def event(name: str, start: int, took: int = 10, *, on: str = CPU, **said: Any) -> Told:
    """One as torch 2.11 gives it: it doesn't tell its activity."""
    plain: dict[str, Any] = {
        "name": name,
        "start_ns": start,
        "duration_ns": took,
        "device_type": on,
        "device_index": 0,
        "device_resource_id": 7,
        "start_thread_id": 1,
        "end_thread_id": said.get("start_thread_id", 1),
        "correlation_id": 0,
        "linked_correlation_id": 0,
        "scope": 0,
        "is_async": False,
        "is_user_annotation": False,
        "is_hidden_event": False,
    }
    return Told(**{**plain, **said})


def kernel(name: str, start: int, took: int = 10, **said: Any) -> Told:
    """What is on a device's track, so far as 2.11 tells."""
    return event(name, start, took, on=CUDA, **said)


def without(one: Told, *methods: str) -> Told:
    """The same of a torch that doesn't have these methods yet."""
    return Told(**{name: said for name, said in one._said.items() if name not in methods})
