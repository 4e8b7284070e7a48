"""Counts what a program runs, on its own tensors, by the lap that is open.

Nothing is changed of what the program computes: operators run as they are called, and are looked at
afterwards. Composite ones, which reach a mode only in inference mode, are taken apart as they
would be anyway; not those that have a kernel of their own, which rounds otherwise.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from types import TracebackType
from typing import Any

import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from ..._core import Feed, OpCounts, raised_by_handler
from .mode import Counting, completed

#: Where classes are defined that stand in for tensors.
_STAND_INS = "torch._subclasses."


class LiveCounting(Counting):
    """Counts what runs on the thread that made it, and on those that work for it."""

    def __init__(self, core: Any, path: int) -> None:
        super().__init__(Feed())
        self.swap_feed(self.feed)
        self._core = core
        self._thread = threading.get_ident()
        self._path = path
        self._feeds = {path: self.feed}
        self.is_live = True
        self.device = "cpu"
        #: An operator whose output has as many elements as its data say.
        self.follows_data = ""
        self._trouble: Exception | None = None

    def __new__(cls, core: Any, path: int) -> LiveCounting:
        made: LiveCounting = super().__new__(cls, Feed())  # type: ignore[assignment]
        return made

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """No: what torch would put in front of it imports dynamo into a program that may not."""
        return False

    def begin(self) -> None:
        """Begins it, below the program's modes: what these leave or enter is their own.

        Only the stack is touched: what torch does besides, a signal's handler could cut short.
        """
        above: list[Any] = []
        try:
            while torch._C._len_torch_dispatch_stack():
                above.append(torch._C._pop_torch_dispatch_stack(None))
            torch._C._push_on_torch_dispatch_stack(self)
        finally:
            _put_back(above)

    def leave(self) -> None:
        """Ends it."""
        self.is_live = False
        take_off(self)

    def __torch_dispatch__(
        self, function: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        # What stands in for a tensor computes nothing, and its class answers even questions that
        # torch asks where nothing may be raised.
        if not self.is_live or any(kind.__module__.startswith(_STAND_INS) for kind in types):
            return run(function, args, kwargs)
        if any(self.wraps(kind) for kind in types):
            return NotImplemented
        if _is_taken_apart(function, args, kwargs):
            try:
                torch._C._push_on_torch_dispatch_stack(self)
                out = _decomposed(function, args, kwargs)
            finally:
                take_off(self)
            if out is not NotImplemented:
                return out
        out = run(function, args, kwargs)
        try:
            # What a class of tensors, or a mode of functions, makes of questions is the program's.
            with torch._C.DisableTorchFunction():
                self._see(function, args, kwargs, out)
        except Exception as error:
            if raised_by_handler(error):
                raise
            self._trouble = self._trouble or error
        return out

    def _see(self, function: Any, args: Any, kwargs: Any, out: Any) -> None:
        route = self.meet(function)[4]
        if route in ("run", "device"):
            return
        if threading.get_ident() == self._thread:
            path = self._core.path_number()
            if path != self._path:
                self._path = path
                self.swap_feed(self._feeds.setdefault(path, Feed()))
        if route == "ask" and hasattr(function, "_schema"):
            args, kwargs = completed(function._schema, args, kwargs)
        self.record(function, args, kwargs, out)
        if not self.follows_data and _follows_data(function, args):
            self.follows_data = str(function).rpartition(".")[0]
        if isinstance(out, torch.Tensor) and out.device.type != self.device.partition(":")[0]:
            if self.device == "cpu":
                self.device = str(out.device)

    def finish(self) -> Iterator[tuple[int, OpCounts]]:
        """What was counted at each path."""
        if self._trouble is not None:
            raise self._trouble
        for path, feed in self._feeds.items():
            yield path, feed.finish()


#: Calls an operator as C++ does: it asks no class of tensors and no function mode.
_CALL = getattr(torch._C, "_dispatch_call_boxed", None)


def run(function: Any, args: Any, kwargs: Any) -> Any:
    """Runs an operator as if no mode had been there.

    Called by its name it would be a call of the program's, which `__torch_function__` is asked
    about: what the backward calls is not. What is below it, such as a kernel in Python, asks it.
    """
    if not _is_asked(args, kwargs):
        return function(*args, **kwargs)
    is_operator = type(function) is torch._ops.OpOverload
    if _CALL is not None and is_operator and not _has_numbers(function, args):
        return _CALL(function._handle, *args, **kwargs)
    with torch._C.DisableTorchFunction():
        return function(*args, **kwargs)


def _is_asked(args: Any, kwargs: Any) -> bool:
    """Whether the program would be asked about a call."""
    given = [*args, *kwargs.values()]
    several = [one for one in given if type(one) in (list, tuple)]
    return torch._C._is_torch_function_mode_enabled() or torch.overrides.has_torch_function(
        tuple(part for one in [given, *several] for part in one)
    )


def _has_numbers(function: Any, args: Any) -> bool:
    """Whether numbers stand where tensors do, as in `x * 2`: they need a call by name."""
    return any(
        not issubclass(type(one), torch.Tensor) and str(argument.type) == "Tensor"
        for one, argument in zip(args, function._schema.arguments)
    )


#: What a dispatch key begins with for tensors that are not dense.
_LAYOUTS = {
    torch.sparse_coo: "Sparse",
    torch.sparse_csr: "SparseCsr",
    torch.sparse_csc: "SparseCsr",
    torch.sparse_bsr: "SparseCsr",
    torch.sparse_bsc: "SparseCsr",
    getattr(torch, "_mkldnn", None): "Mkldnn",
}
#: Keys whose kernels serve every device.
_EVERYWHERE = ("CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")


def _is_taken_apart(function: Any, args: Any, kwargs: Any) -> bool:
    """Whether an operator that is made of others has no kernel of its own where it runs.

    The gradient of SiLU has one on the usual devices, and so has upsampling.
    """
    if not hasattr(function, "_can_decompose") or not function._can_decompose():
        return False
    try:
        # What a class of tensors makes of questions is the program's.
        with torch._C.DisableTorchFunction():
            given = [*args, *kwargs.values()]
            several = [one for one in given if type(one) in (list, tuple)]
            tensors = [
                one for some in (given, *several) for one in some if isinstance(one, torch.Tensor)
            ]
            keys = {*_EVERYWHERE, *map(_key, tensors)}
            return not any(_has_kernel(function.name(), key) for key in keys)
    except Exception as error:
        if raised_by_handler(error):
            raise
        return False  # whole, it computes what it would


def _has_kernel(name: str, key: str) -> bool:
    try:
        return bool(torch._C._dispatch_has_kernel_for_dispatch_key(name, key))
    except RuntimeError:  # no such key: not every layout is on every device
        return False


def _key(tensor: torch.Tensor) -> str:
    """The dispatch key of a tensor's kernels."""
    kind = "NestedTensor" if tensor.is_nested else _LAYOUTS.get(tensor.layout, "")
    return kind + str(torch._C._dispatch_key_for_device(tensor.device.type))


def _decomposed(function: Any, args: Any, kwargs: Any) -> Any:
    """What an operator comes to that is made of others; `NotImplemented` if it isn't."""
    if torch._C.DispatchKey.CompositeImplicitAutograd in function.py_kernels:
        return function.decompose(*args, **kwargs)  # in Python: asks as it does without a mode
    with torch._C.DisableTorchFunction():
        return function.decompose(*args, **kwargs)


def _follows_data(function: Any, args: Any) -> bool:
    """Whether an operator makes as many elements as its data say, whatever the shapes are."""
    if function is torch.ops.aten._pack_padded_sequence.default:
        return True
    if torch.Tag.dynamic_output_shape not in getattr(function, "tags", ()):
        return False
    if function is not torch.ops.aten.index.Tensor:
        return True
    masks = (torch.bool, torch.uint8)
    return any(isinstance(one, torch.Tensor) and one.dtype in masks for one in args[1])


def take_off(mode: Any) -> None:
    """Takes a mode from the stack, from below others too, if it is there."""
    if not any(one is mode for one in _get_current_dispatch_mode_stack()):
        return
    above: list[Any] = []
    try:
        while (top := torch._C._pop_torch_dispatch_stack(None)) is not mode:
            above.append(top)
    finally:
        _put_back(above)


def _put_back(above: list[Any]) -> None:
    while above:
        torch._C._push_on_torch_dispatch_stack(above.pop())


#: Past what a class of errors makes of its attributes.
_SET_TRACEBACK = vars(BaseException)["__traceback__"].__set__

#: Where torch asks, before it calls a mode, whether a class has a rule for an operator.
_ASKED = "find_torch_dispatch_rule"


def hide_frames(error: BaseException) -> None:
    """Takes the frames of counting out of the traceback: the program sees its own."""
    ours = os.path.dirname(__file__)
    found: list[TracebackType] = []
    entry = error.__traceback__
    behind = ""
    while entry is not None:
        code = entry.tb_frame.f_code
        if code.co_filename.startswith(ours):
            behind = "torch/_ops.py"
        elif code.co_name == _ASKED:
            behind = "torch/_library/"
        elif not behind or behind not in code.co_filename:
            found.append(entry)
            behind = ""
        entry = entry.tb_next
    after = None
    for entry in reversed(found):
        entry.tb_next = after
        after = entry
    _SET_TRACEBACK(error, after)


#: Modes under which nothing is computed: a graph is made, or shapes are worked out.
_STANDING_IN = [
    key
    for name in ("FAKE", "PROXY", "FUNCTIONAL")
    if (key := getattr(getattr(torch._C, "_TorchDispatchModeKey", None), name, None)) is not None
]


def is_elsewhere() -> bool:
    """Whether what is called now is traced, or runs on what stands in for tensors."""
    modes = (torch._C._get_dispatch_mode(key) for key in _STANDING_IN)
    return torch._C._is_tracing() or any(mode is not None for mode in modes)
