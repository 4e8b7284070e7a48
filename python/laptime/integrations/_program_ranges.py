"""Ranges that a program names by itself, as laps: NVTX's and the PyTorch profiler's.

:func:`install` imports nothing. Once the program has imported them, calls of `torch.cuda.nvtx`, of
the `nvtx` package and of `record_function` are watched: each function stays the object that it is,
raises what it raised and returns what it returned. A call that raised opened no lap.
"""

from __future__ import annotations

import atexit
import os
import sys

from .._core import Phases, Watched, lap, mark, note
from .._log import warn
from .._post_import import wait_no_more, when_imported
from .._push import close_for, open_for
from ._started_ranges import StartedRanges
from ._wrapped_functions import FUNCTION

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType
    from typing import Any
    from weakref import WeakSet

# What the watching of training is asked, and this never is.
_QUESTIONS = (
    "is_grad_enabled",
    "is_compiling",
    "is_worker",
    "is_thread",
    "learns",
    "training",
    "bare",
    "for_learned",
    "of_function",
    "is_waited_for",
    "last_gradients",
    "look",
)

# Modules whose functions only pass a call on to another `with` or decorator.
_PASSING = ("contextlib", "torch.utils._contextlib")

# As many names of decorated functions are kept.
_MOST_KEPT = 10_000
# Names of such that are said.
_MOST_NAMED = 4

_installed = 0
_ranges: _Ranges | None = None


def install() -> None:
    """Makes laps of the program's ranges from now on."""
    global _installed, _ranges
    _installed += 1
    if _ranges is None:
        _ranges = _Ranges()
        _ranges.apply()


def uninstall() -> None:
    """Undoes one :func:`install`."""
    global _installed, _ranges
    _installed = max(_installed - 1, 0)
    ranges = _ranges
    if not _installed and ranges is not None:
        _ranges = None
        ranges.remove()


class _Ranges:
    """What is watched."""

    def __init__(self) -> None:
        asked: dict[str, Any] = dict.fromkeys(_QUESTIONS, _nothing)
        self._phases = Phases(compiler={}, tensors=None, broken=self._broken, **asked)
        self._watched: list[Watched] = []
        self._of_torch = StartedRanges("torch.cuda.nvtx.range_start")
        self._of_nvtx = StartedRanges("nvtx.start_range")
        # What lies over decorated functions, by the name of the range.
        self._inside: dict[str, Watched] = {}
        # Functions of the program's own that are decorated.
        self._decorations: WeakSet[Any]
        self._is_on = False
        self._process = os.getpid()

    def apply(self) -> None:
        """Watches from now on."""
        self._is_on = True
        atexit.register(self._tell)
        when_imported("torch.cuda.nvtx", self._torch_nvtx)
        when_imported("torch.autograd.profiler", self._torch_profiler)
        when_imported("nvtx.nvtx", self._nvtx)

    def remove(self) -> None:
        """Watches nothing any more."""
        self._is_on = False
        wait_no_more(self)
        self._phases.close()
        for watched in self._watched:
            watched.take()
        self._watched.clear()
        self._inside.clear()
        atexit.unregister(self._tell)
        self._tell()

    def _tell(self) -> None:
        """Says which ranges never ended: when they did isn't known, so they are no laps."""
        left = self._of_torch.forget() + self._of_nvtx.forget()
        names = sorted(set(left))
        if not names or os.getpid() != self._process:
            return
        more = ", …" if len(names) > _MOST_NAMED else ""
        shown = ", ".join(map(repr, names[:_MOST_NAMED])) + more
        which = "1 range was" if len(left) == 1 else f"{len(left)} ranges were"
        note("ranges.open", f"{which} started and never ended, and so no lap: {shown}")

    def _broken(self, error: Exception) -> None:
        self.remove()
        warn(
            f"the program's own ranges are no laps from here on: {type(error).__name__}: {error}; "
            "the program goes on"
        )

    def _watch(self, owner: Any, name: str, told: Callable[[Any, Any, Any], object]) -> None:
        function = vars(owner).get(name)
        if self._is_on and isinstance(function, FUNCTION):
            watched = Watched("range", self._phases, told=told)
            watched.put(function)
            self._watched.append(watched)

    # -- torch -----------------------------------------------------------------------------

    def _torch_nvtx(self, module: ModuleType) -> None:
        # `range` calls the first two.
        self._watch(module, "range_push", lambda given, named, _: _open("torch", given, named))
        self._watch(module, "range_pop", lambda *_: close_for("torch"))
        self._watch(module, "mark", lambda given, named, _: mark(str(_argument(given, named))))
        self._watch(
            module,
            "range_start",
            lambda given, named, number: self._of_torch.start(number, _argument(given, named)),
        )
        self._watch(
            module,
            "range_end",
            lambda given, named, _: self._of_torch.end(_argument(given, named, "range_id")),
        )

    def _torch_profiler(self, module: ModuleType) -> None:
        record_function = getattr(module, "record_function", None)
        if isinstance(record_function, type):
            self._watch(record_function, "__enter__", _record_function_entered)
            self._watch(record_function, "__exit__", lambda given, *_: close_for(id(given[0])))

    # -- the `nvtx` package ----------------------------------------------------------------

    def _nvtx(self, module: ModuleType) -> None:
        def domain(given: Any, named: Any, place: int = 2) -> tuple[str, object]:
            return "nvtx", named.get("domain", given[place] if len(given) > place else None)

        self._watch(
            module, "push_range", lambda given, named, _: _open(domain(given, named), given, named)
        )
        self._watch(module, "pop_range", lambda given, named, _: close_for(domain(given, named, 0)))
        self._watch(module, "mark", lambda given, named, _: mark(_message(given, named)))
        self._watch(
            module,
            "start_range",
            lambda given, named, number: self._of_nvtx.start(number, _message(given, named)),
        )
        self._watch(
            module,
            "end_range",
            lambda given, named, _: self._of_nvtx.end(_argument(given, named, "range_id")),
        )
        from weakref import WeakSet  # the program has imported it, for this package

        self._decorations = WeakSet()
        annotate = getattr(module, "annotate", None)
        if isinstance(annotate, type):
            self._watch(
                annotate,
                "__enter__",
                lambda given, *_: open_for(id(given[0]), given[0].init_args[0] or "annotate"),
            )
            self._watch(annotate, "__exit__", lambda given, *_: close_for(id(given[0])))
            self._watch(annotate, "__call__", self._decorated)

    def _decorated(self, given: Any, _named: Any, function: Any) -> None:
        """A function was decorated by `nvtx.annotate`: it is a range as a whole.

        Without a tool that is the function itself, which stays as it is but for being watched.
        It is watched once, though a program may decorate it at each call.
        """
        is_same = function is given[1]
        if not self._is_on or not isinstance(function, FUNCTION) or function in self._decorations:
            return
        if is_same:
            self._decorations.add(function)
        name = given[0].init_args[0] or given[1].__name__
        watched = self._inside.get(name)
        if watched is None and len(self._inside) < _MOST_KEPT:
            watched = self._inside[name] = Watched("inside", self._phases, told=lap(name))
            self._watched.append(watched)
        if watched is not None:
            watched.put(function)


def _record_function_entered(given: Any, _named: Any, _result: Any) -> None:
    """A range of the profiler's begins: a lap, unless it is one of torch's own or of ours."""
    frame = sys._getframe(1)
    while frame.f_globals.get("__name__") in _PASSING and frame.f_back is not None:
        frame = frame.f_back
    package = str(frame.f_globals.get("__name__")).partition(".")[0]
    if package not in ("torch", "laptime"):
        open_for(id(given[0]), str(given[0].name))


def _open(owner: object, given: Any, named: Any) -> None:
    name = _message(given, named) if owner != "torch" else str(_argument(given, named))
    open_for(owner, name)


def _argument(given: Any, named: Any, name: str = "msg") -> Any:
    return given[0] if given else named.get(name)


def _message(given: Any, named: Any) -> str:
    """The message of a range of the `nvtx` package's, which may have none."""
    return str(_argument(given, named, "message") or "range")


def _nothing(*_: object) -> bool:
    return False
