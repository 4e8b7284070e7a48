"""``torch.compile``: its time as a span of its own, and wrappers that dynamo looks through.

Dynamo is imported lazily, mostly long after torch; nothing here imports it. It treats torch's
own ``Module.__call__`` in two special ways, and these extend to the wrapper: the frame is
never compiled by itself, and a call of an inner module goes straight to its ``forward``.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from typing import Any

from .._core import is_traced, passes
from .._post_import import when_imported

CALLBACKS = "torch._dynamo.callback"
FRAMES = "torch._dynamo.eval_frame"
KNOWN_CALL = ("torch._dynamo.utils", "torch._dynamo.variables.nn_module")


_stood_in = False


def know_tracing(torch: Any) -> None:
    """Lets dynamo answer yes, where it traces a wrapper that asks whether it does."""

    def stand_in(dynamo: Any) -> None:
        global _stood_in
        if not _stood_in:
            _stood_in = True
            for asks in (is_traced, passes):
                torch.compiler.substitute_in_graph(asks, skip_signature_check=True)(_yes)

    when_imported("torch._dynamo", stand_in)


def _yes() -> bool:
    return True


class Compilation:
    """What dynamo is told, and what it tells."""

    def __init__(self, torch: Any, phases: Any) -> None:
        self._phases = phases
        self._own_call = torch.nn.Module.__call__
        self._handler: Any = None
        self._handlers: tuple[Any, Any] | None = None
        self._active = False

    def apply(self, call: Any, frames: Iterable[Any]) -> None:
        """Makes dynamo treat `call` like the function it replaces, and never compile the
        functions in `frames` by themselves: what they wrap is compiled instead."""
        self._active = True
        when_imported(KNOWN_CALL[-1], lambda _: self._know(call) if self._active else None)
        when_imported(FRAMES, lambda module: self._skip(module, frames))
        when_imported(CALLBACKS, self._listen)

    def remove(self) -> None:
        """Undoes :meth:`apply`."""
        self._active = False
        self._know(self._own_call)
        if self._handlers is not None:
            begin, end = self._handlers
            self._handler.run_start_callbacks = begin
            self._handler.run_end_callbacks = end
            self._handlers = None

    def _know(self, call: Callable[..., Any]) -> None:
        for name in KNOWN_CALL:
            module = sys.modules.get(name)
            if hasattr(module, "unpatched_nn_module_call"):
                module.unpatched_nn_module_call = call  # type: ignore[union-attr]

    def _skip(self, module: Any, frames: Iterable[Any]) -> None:
        skip = getattr(module, "skip_code", None)
        if skip is not None:
            for frame in frames:
                skip(frame.__code__)

    def _listen(self, callback: Any) -> None:
        handler = getattr(callback, "CompilationCallbackHandler", None)
        if handler is None or not self._active:
            return
        begin, end = handler.run_start_callbacks, handler.run_end_callbacks
        phases = self._phases

        # On the class: `torch._dynamo.reset()` forgets callbacks that were registered.
        def run_start_callbacks(self: Any, args: Any) -> Any:
            phases.compile_begin()
            return begin(self, args)

        def run_end_callbacks(self: Any, args: Any) -> Any:
            phases.compile_end()
            return end(self, args)

        handler.run_start_callbacks = run_start_callbacks
        handler.run_end_callbacks = run_end_callbacks
        self._handler, self._handlers = handler, (begin, end)
