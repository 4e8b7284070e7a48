"""What the program holds stays its own: every tensor of it is the handle of a stand-in.

A mode above autograd sees each function before it runs. Tensors that were there before the count
are exchanged for their stand-ins on the way in, and exchanged back on the way out, so the program
keeps its parameters, gradients and states in its hands while others are computed with. Where they
are held makes no difference: in a module, a list, a cell, an optimizer's state. What happens at
every function is `laptime._core.TorchFunction`'s; here is what happens once for a tensor.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Iterable, Iterator
from threading import get_ident
from typing import Any

import torch
from torch._functorch.pyfunctorch import temporarily_clear_interpreter_stack
from torch._subclasses.fake_tensor import FakeTensor
from torch.overrides import TorchFunctionMode

from ..._core import LaptimeError, TorchFunction
from ...world import Undo
from .isolation import Alone
from .stage import Stage


class Handles(TorchFunction, TorchFunctionMode):
    """Exchanges tensors for their stand-ins, and back."""

    def __new__(cls, stage: Stage) -> Handles:
        fake = FakeTensor if stage.fake_mode is not None else None
        # Of a fake the method is another one.
        instead = {torch.Tensor.__deepcopy__: functools.partial(_deep_copied, stage)}
        return super().__new__(cls, torch.Tensor, fake, instead, stage.own)

    def __init__(self, stage: Stage) -> None:
        TorchFunctionMode.__init__(self)
        self.stage = stage

    def meet(self, tensor: torch.Tensor) -> torch.Tensor:
        """What stands for a tensor that is met first; itself, if the count made it."""
        # Neither modes nor transforms such as `vmap` have to do with it.
        with Alone(), torch._C.DisableTorchFunction(), temporarily_clear_interpreter_stack():
            if self.stands_in(tensor) or self.stage.is_own(tensor):
                return tensor
            with torch.no_grad():
                made = self.stage.stand_in(tensor)
            self.pair(tensor, made)
            if tensor.is_leaf and tensor.requires_grad:
                self._take_over(tensor, made)
        return made

    def exchange_fakes(self, tensors: Iterable[torch.Tensor]) -> None:
        """Fakes from before that are on no device, or were made in inference mode, are exchanged
        like real tensors.
        """
        for tensor in tensors:
            if type(tensor) is FakeTensor and (
                tensor.device.type == "meta" or tensor.is_inference()
            ):
                self.pair(tensor, self.stage.stand_in(tensor))

    def standing(self, tensor: torch.Tensor) -> torch.Tensor:
        """What stands for a tensor."""
        found: torch.Tensor = self.given(tensor)
        return found

    @contextlib.contextmanager
    def over(self) -> Iterator[None]:
        """Within it, an operator runs code of the program's."""
        before = self.swap_paused(0)
        try:
            with self:
                yield
        finally:
            self.swap_paused(before)

    def _take_over(self, tensor: torch.Tensor, made: torch.Tensor) -> None:
        """A leaf's gradient and hooks."""
        if tensor.grad is not None:
            made.grad = self.standing(tensor.grad)
        for hook in list((tensor._backward_hooks or {}).values()):
            made.register_hook(hook)
        after: Any = getattr(tensor, "_post_accumulate_grad_hooks", None)
        for hook in list((after or {}).values()):
            made.register_post_accumulate_grad_hook(lambda _, hook=hook: hook(tensor))


def _deep_copied(stage: Stage, tensor: Any, memo: Any) -> Any:
    """A deep copy, whose memory no operator made."""
    real = stage.fake_mode is None
    with Alone() if real else contextlib.nullcontext():
        copied = type(tensor).__deepcopy__(tensor, memo)
    stage.made(copied)
    return copied


def hand_over(undo: Undo, handles: Handles) -> None:
    """Until the end, tensors are exchanged where no function mode comes by: at the engine, whose
    hooks are the program's, and at functions with a backward of their own."""
    mine, given = get_ident(), handles.given
    compute: Callable[..., Any] = torch.autograd._engine_run_backward  # type: ignore[attr-defined]

    def run_backward(outputs: Any, *arguments: Any, **keywords: Any) -> Any:
        if get_ident() != mine:
            return compute(outputs, *arguments, **keywords)
        for output in outputs if isinstance(outputs, (tuple, list)) else (outputs,):
            own = handles.back(output)
            if own is not output and own.grad_fn is not None:
                raise LaptimeError(
                    "the backward begins at a tensor that was computed before the count: call the "
                    "model, too, in the function that is counted"
                )
        inside = handles.swap_inside(0)
        try:
            outputs, arguments, keywords = given(outputs), given(arguments), given(keywords)
            if not inside:
                return compute(outputs, *arguments, **keywords)
            with handles:
                return compute(outputs, *arguments, **keywords)
        finally:
            handles.swap_inside(inside)

    apply: Any = inspect.getattr_static(torch.autograd.Function, "apply")

    def applied(cls: Any, *arguments: Any, **keywords: Any) -> Any:
        of_class = apply.__get__(None, cls)
        if get_ident() != mine:
            return of_class(*arguments, **keywords)
        return handles.back(of_class(*given(arguments), **given(keywords)))

    undo.put(torch.autograd, "_engine_run_backward", run_backward)
    undo.put(torch.autograd.Function, "apply", classmethod(applied))
