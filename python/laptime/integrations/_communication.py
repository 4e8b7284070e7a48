"""What the processes of a training exchange, and how long this one waits for it.

On the CPU the collectives of ``torch.distributed`` return when they are done: each is a span.
Replicas (``DistributedDataParallel``) exchange their gradients while the backward computes others,
and it ends when all are there. Their reducer keeps when each gradient was ready, counted from the
end of the forward: what the backward took after the last one was a wait for the other processes.
That is only read, so the program's own hooks, and what it set, stay as they are.

On a device collectives run beside the host, which waits for none: nothing is told then but that.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any

from .._core import Watched, note
from .._post_import import wait_no_more, when_imported
from ._wrapped_functions import FUNCTION, put_innermost

#: Functions that return when the exchange is done, unless they are called with `async_op`.
COLLECTIVES = (
    "all_gather",
    "all_gather_coalesced",
    "all_gather_into_tensor",
    "all_gather_object",
    "all_gather_single",
    "all_reduce",
    "all_reduce_coalesced",
    "all_to_all",
    "all_to_all_single",
    "barrier",
    "broadcast",
    "broadcast_object_list",
    "gather",
    "gather_into_tensor",
    "gather_object",
    "gather_single",
    "monitored_barrier",
    "recv",
    "recv_object_list",
    "reduce",
    "reduce_scatter",
    "reduce_scatter_single",
    "reduce_scatter_tensor",
    "scatter",
    "scatter_object_list",
    "send",
    "send_object_list",
)


class Communication:
    """What is seen of the exchange between processes."""

    def __init__(self, torch: Any, device_in_use: Any) -> None:
        """`device_in_use()` is the name of the device that the program computes on, if any."""
        self._torch = torch
        self._device_in_use = device_in_use
        self._active = self._has_said = False
        self._watched: list[Watched] = []
        self._thread = _ThreadReplicas()

    def apply(self, phases: Any) -> None:
        """Sees exchanges from now on."""
        self._active = True
        exchange = Watched("exchange", phases)
        replicated = Watched("replicated", phases, told=self._replicated)
        self._watched += (exchange, replicated)

        when_imported("torch.distributed.distributed_c10d", self._collectives)
        when_imported("torch.distributed._functional_collectives", self._functional)
        replica = getattr(self._torch.nn.parallel, "DistributedDataParallel", None)
        if isinstance(replica, type):
            forward = vars(replica).get("forward")
            if type(forward) is FUNCTION:
                replicated.put(forward, inlined=False)  # a module's call passes its arguments on
            self._watch(replica, ("_sync_buffers",))

    def _collectives(self, module: Any) -> None:
        self._watch(module, COLLECTIVES)

    def _functional(self, module: Any) -> None:
        self._watch(module, ("wait_tensor",))

    def _watch(self, owner: Any, names: tuple[str, ...]) -> None:
        functions = (vars(owner).get(name) for name in names)
        for function in functions if self._active else ():
            if type(function) is FUNCTION:
                put_innermost(self._watched[0], function)

    def remove(self) -> None:
        """Undoes :meth:`apply`."""
        self._active = False
        wait_no_more(self)
        for watched in self._watched:
            watched.take()
        self._watched.clear()

    def is_waited_for(self) -> bool:
        """Whether the program waits for what is exchanged."""
        device = self._device_in_use()
        if device:
            self._say_of(device)
        return not device

    def _say_of(self, device: Any) -> None:
        if not self._has_said:
            self._has_said = True
            why = f"processes exchange data on {device} while the host goes on: no row has its time"
            note("communication.unavailable", why)

    # -- replicas ----------------------------------------------------------------------------

    def _replicated(self, module: Any, end: int) -> bool:
        """The forward of a replica was over at `end`; whether its gradients can be followed."""
        own = vars(module)
        if own.get("device_type") != "cpu":
            self._say_of(own.get("device_type"))
            return False
        if not hasattr(own.get("reducer"), "get_backward_stats"):
            return False  # a reducer of another kind
        replicas = self._thread.replicas
        replica = replicas.get(id(module))
        if replica is None or replica.module() is not module:
            replicas[id(module)] = replica = _Replica(module, replicas)
        replica.end = end
        return True

    def last_gradients(self) -> list[tuple[int, int]]:
        """When the forward of each replica with new gradients was over, in ticks, and how many
        nanoseconds after it the last of them was there.
        """
        told = (replica.last_gradient() for replica in list(self._thread.replicas.values()))
        return [one for one in told if one is not None]


class _Replica:
    """A replica that was called."""

    def __init__(self, module: Any, replicas: dict[int, _Replica]) -> None:
        key = id(module)
        self.module = weakref.ref(module, lambda _: replicas.pop(key, None))
        self._ready_ns = self._when_ready(module)
        #: When its forward was over; none since the last backward.
        self.end: int | None = None

    @staticmethod
    def _when_ready(module: Any) -> list[int]:
        """When each gradient was ready, after the end of its forward: of the last exchange."""
        return list(vars(module)["reducer"].get_backward_stats())

    def last_gradient(self) -> tuple[int, int] | None:
        module, end, self.end = self.module(), self.end, None
        if module is None or end is None:
            return None
        before, self._ready_ns = self._ready_ns, self._when_ready(module)
        fresh = [one for one, old in zip(self._ready_ns, before) if one != old]
        return (end, max(fresh)) if fresh else None


class _ThreadReplicas(threading.local):
    """What a thread trains."""

    def __init__(self) -> None:
        self.replicas: dict[int, _Replica] = {}
