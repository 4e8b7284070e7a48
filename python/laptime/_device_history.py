"""The history of its calls that PyTorch's allocator keeps for whoever switches it on.

It is one switch of `torch._C`. While laps have it on, the program sees it off: functions stand in
for the switch and for what tells of it. Once the program switches it on, it is the program's.
"""

from __future__ import annotations

from functools import partial
from threading import get_ident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from ._core import Allocators

    Wrap = Callable[[Callable[..., Any]], Callable[..., Any]]

#: Functions that switch the history, that tell whether it is on, and that hand it out.
SWITCH = ("_cuda_record_memory_history", "_cuda_record_memory_history_legacy")
IS_ON = "_cuda_isHistoryEnabled"
SNAPSHOT = "_cuda_memorySnapshot"
#: Functions that let a device's counts begin anew, by which places in the history are found.
RESTART = ("_cuda_resetAccumulatedMemoryStats", "_accelerator_resetAccumulatedStats")

#: How many entries it holds: some 50 MB of the host's memory at most. It is emptied long before,
#: unless more are made with no lap opening or closing.
MOST_ENTRIES = 1 << 18


def is_there(torch: Any) -> bool:
    """Whether this PyTorch has all of it."""
    names = (SWITCH[0], IS_ON, SNAPSHOT)
    memory = getattr(torch.cuda, "memory", None)
    return all(hasattr(torch._C, name) for name in names) and hasattr(
        memory, "_record_memory_history"
    )


def functions(torch: Any) -> list[Callable[..., Any]]:
    """What switches it on and off, tells whether it is on, and hands it out, without any Python."""
    on, off = _switches(torch)
    return [on, off, getattr(torch._C, IS_ON), getattr(torch._C, SNAPSHOT)]


def _switches(torch: Any) -> list[Callable[..., Any]]:
    # Its arguments stand in another order in each PyTorch. The function in Python knows it: what
    # it calls is caught, and nothing happens.
    core, name, thread = torch._C, SWITCH[0], get_ident()
    function = getattr(core, name)
    caught: list[Callable[..., Any]] = []

    def catch(*args: Any, **kwargs: Any) -> Any:
        if get_ident() != thread:
            return function(*args, **kwargs)
        caught.append(partial(function, *args, **kwargs))
        return None

    setattr(core, name, catch)
    try:
        record = torch.cuda.memory._record_memory_history
        record("all", context=None, stacks="python", max_entries=MOST_ENTRIES)
        record(None)
    finally:
        setattr(core, name, function)
    if len(caught) != 2:
        raise RuntimeError("torch.cuda.memory._record_memory_history is not PyTorch's own")
    return caught


def stand_ins(allocators: Allocators) -> dict[str, Wrap]:
    """What stands in for each function while laps are told."""

    def switching(function: Callable[..., Any]) -> Callable[..., Any]:
        def switch(enabled: Any, *args: Any, **kwargs: Any) -> Any:
            allocators.give_way()
            result = function(enabled, *args, **kwargs)
            allocators.has_switched(bool(enabled))
            return result

        return switch

    def telling(function: Callable[..., Any]) -> Callable[..., Any]:
        def tell() -> Any:
            return False if allocators.has_own_history() else function()

        return tell

    def handing_out(function: Callable[..., Any]) -> Callable[..., Any]:
        def hand_out(*args: Any) -> Any:
            taken = function(*args)
            if allocators.has_own_history() and "device_traces" in taken:
                taken["device_traces"] = [[] for _ in taken["device_traces"]]
            return taken

        return hand_out

    def restarting(function: Callable[..., Any]) -> Callable[..., Any]:
        def restart(device: Any) -> Any:
            allocators.before_reset(device)
            result = function(device)
            allocators.was_restarted(device)
            return result

        return restart

    each = {IS_ON: telling, SNAPSHOT: handing_out}
    return {**each, **dict.fromkeys(SWITCH, switching), **dict.fromkeys(RESTART, restarting)}
