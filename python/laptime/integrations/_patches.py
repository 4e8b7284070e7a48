"""The wrappers around torch's functions, and putting them back.

A wrapper is native: it tells the machine of its thread what begins and ends. Here is what
gets one, and what the machine asks about torch's objects. What the program raises goes on its
way; what Laptime raises switches the phases off and is logged.
"""

from __future__ import annotations

import functools
import logging
import sys
import weakref
from collections.abc import Callable
from typing import Any

from .._core import Iteration, LoaderMemory, Phases, Watched, is_traced, passes
from ._compilation import Compilation, know_tracing
from ._counting import Counting
from ._modules import ModuleLaps, wrap, wrap_gradients
from ._segments import Keys
from ._thread import Machines


class Patches:
    """What is replaced in torch, and by what."""

    def __init__(
        self,
        torch: Any,
        core: Any,
        *,
        modules: bool = False,
        ops: bool = False,
        scripted: Any = None,
    ) -> None:
        """`core` makes laps; a test's `scripted` one takes the place of the recorder."""
        self._torch = torch
        self._core = core
        self._modules = modules
        self.is_traced = is_traced
        know_tracing(torch)
        self.tensor = torch.Tensor
        self._replaced: list[tuple[Any, str, Any, Any]] = []
        self._loaders: weakref.WeakKeyDictionary[Any, LoaderMemory] = weakref.WeakKeyDictionary()
        self._noted_device = False
        worker = torch.utils.data.get_worker_info
        self.phases = Phases(
            is_grad_enabled=torch.is_grad_enabled,
            compiler=vars(torch.compiler),
            is_compiling=torch.compiler.is_compiling,
            is_worker=lambda: worker() is not None,
            learns=self._learns,
            adopt=self._iteration,
            look=self.look_for_devices,
            broken=self._broken,
            scripted=scripted,
        )
        self.counting = Counting(torch, core, self.phases) if ops else None
        self._frames: list[Any] = [
            function
            for owner in (ModuleLaps, Patches, Machines, Counting, Keys)
            for function in vars(owner).values()
            if hasattr(function, "__code__")
        ]
        """Functions of ours, which dynamo must not compile by themselves."""
        self.machines = Machines(self.phases)
        self._compilation = Compilation(torch, self.phases)

    # -- in and out ------------------------------------------------------------------------

    def apply(self) -> None:
        """Puts the wrappers in place."""
        torch = self._torch
        loading = torch.utils.data.dataloader
        self._replace(loading.DataLoader, "__iter__", self._iter)
        self._replace(loading._BaseDataLoaderIter, "__next__", self._watch_fetch)
        call = self._call_by_module if self._modules else self._call
        self._replace(torch.nn.Module, "__call__", call)
        self._replace(torch.autograd, "backward", self._backward)
        self._replace(torch.autograd, "grad", lambda grad: self._watch("gradient", grad))
        optimizer = torch.optim.Optimizer
        hook = optimizer.profile_hook_step
        self._put(optimizer, "profile_hook_step", staticmethod(self._hook_step(hook)))
        for owner in _subclasses(optimizer):
            step = owner.__dict__.get("step")
            if getattr(step, "hooked", False):
                self.phases.has_optimizer()
                self._put(owner, "step", self._work(step, True))
        for owner in (optimizer, torch.nn.Module):
            self._put(owner, "zero_grad", self._work(owner.zero_grad, False))
        scaler = getattr(getattr(torch, "amp", None), "GradScaler", None)
        if scaler is not None:
            for name, stepping in (("step", True), ("update", False), ("unscale_", False)):
                self._put(scaler, name, self._work(getattr(scaler, name), stepping))
        self._compilation.apply(vars(torch.nn.Module)["__call__"], self._frames)

    def remove(self) -> None:
        """Puts torch's own functions back and closes what is open on this thread."""
        self.finish()
        for owner, name, old, new in reversed(self._replaced):
            if owner.__dict__.get(name) is new:
                setattr(owner, name, old)
        self._replaced.clear()
        for owner in _subclasses(self._torch.optim.Optimizer):
            step = owner.__dict__.get("step")
            if getattr(step, "laptime", None) is self:
                owner.step = step.__wrapped__
                owner.step.hooked = True
        # A wrapper that somebody kept, or wrapped in turn, passes through from now on.
        self.machines.close()
        self._compilation.remove()

    def finish(self) -> None:
        """Closes what is open on this thread and looks for devices a last time."""
        try:
            if self.counting is not None:
                self.counting.finish()
            self.machines.finish()
            self.look_for_devices()
        except Exception:
            logging.getLogger("laptime").exception("automatic phases did not end well")

    def _replace(self, owner: Any, name: str, make: Callable[[Any], Any]) -> None:
        self._put(owner, name, make(getattr(owner, name)))

    def _put(self, owner: Any, name: str, new: Any) -> None:
        old = owner.__dict__[name]
        setattr(owner, name, new)
        self._replaced.append((owner, name, old, new))

    def _broken(self, error: Exception) -> None:
        logging.getLogger("laptime").error("automatic phases failed and are off", exc_info=error)
        self.remove()

    # -- wrappers --------------------------------------------------------------------------

    def _watch(self, event: str, original: Callable[..., Any]) -> Any:
        """A wrapper that tells the machine of every call."""
        inside = self.counting.inside(event, original) if self.counting else None
        if inside is not None:
            self._frames.append(inside)
        return functools.update_wrapper(Watched(event, original, self.phases, inside), original)

    def _watch_outside_graphs(self, event: str, original: Callable[..., Any]) -> Any:
        """The same behind a function that dynamo can trace."""
        watched = self._watch(event, original)
        # An optimizer's step wants to be known inside a backward too.
        passed = is_traced if event == "step" else passes

        @functools.wraps(original)
        def seen(*args: Any, **kwargs: Any) -> Any:
            if passed():
                return original(*args, **kwargs)
            return watched(*args, **kwargs)

        self._frames.append(seen)
        return seen

    def _watch_fetch(self, fetch: Callable[..., Any]) -> Any:
        return self._watch("fetch", fetch)

    def _iter(self, make: Callable[[Any], Any]) -> Callable[[Any], Any]:
        now = self._core.now

        @functools.wraps(make)
        def __iter__(loader: Any) -> Any:
            start = now()
            iterator = make(loader)
            if not passes():
                try:
                    self._iteration(iterator, loader).made(start, now())
                except Exception as error:
                    self._broken(error)
            return iterator

        return __iter__

    def _iteration(self, iterator: Any, loader: Any = None) -> Iteration:
        """What is remembered of a pass: it lives as long as its iterator."""
        memory = self._loaders.get(loader) if loader is not None else None
        if memory is None:
            memory = LoaderMemory()
            if loader is not None:
                self._loaders[loader] = memory
        iterator._laptime = iteration = Iteration(memory)
        return iteration

    def _call(self, call: Callable[..., Any]) -> Any:
        return self._watch_outside_graphs("forward", call)

    def _call_by_module(self, call: Callable[..., Any]) -> Any:
        by_module = functools.wraps(call)(wrap(self, call, self._call))
        self._frames.append(by_module)
        return by_module

    def module_laps(self) -> ModuleLaps:
        """The laps of one thread's modules."""
        return ModuleLaps(self._torch, self._core)

    def _learns(self, module: Any, args: Any) -> int:
        """What a module call has to learn: nothing, what it is given, or the module itself."""
        if any(parameter.requires_grad for parameter in module.parameters()):
            return 2
        tensor = self._torch.Tensor
        return int(any(isinstance(value, tensor) and value.requires_grad for value in args))

    def _backward(self, backward: Callable[..., Any]) -> Any:
        compute = wrap_gradients(self, backward) if self._modules else backward
        return self._watch("backward", compute)

    def _hook_step(self, hook: Callable[[Any], Any]) -> Callable[[Any], Any]:
        @functools.wraps(hook)
        def profile_hook_step(step: Any) -> Any:
            self.phases.has_optimizer()  # one is being made
            return self._work(hook(step), True)

        return profile_hook_step

    def _work(self, work: Callable[..., Any], stepping: bool) -> Any:
        seen = self._watch_outside_graphs("step" if stepping else "work", work)
        seen.laptime = self
        return seen

    # -- devices ---------------------------------------------------------------------------

    def look_for_devices(self) -> None:
        """Says once that a device is in use: host time there measures launches."""
        if self._noted_device:
            return
        device = _device_in_use(self._torch)
        if device:
            self._noted_device = True
            self._core.note("device-active", f"torch used {device}")


def _subclasses(owner: Any) -> list[Any]:
    found, waiting = [], [owner]
    while waiting:
        waiting.extend(waiting.pop().__subclasses__())
        found.extend(waiting)
    return list(dict.fromkeys(found))


def _device_in_use(torch: Any) -> str:
    """The device a program computes on, without starting one."""
    for name in ("cuda", "xpu"):
        device = getattr(torch, name, None)
        if device is not None and device.is_initialized():
            return f"{name}:{device.current_device()}"
    mps = getattr(torch, "mps", None)
    if sys.platform == "darwin" and mps is not None and mps.current_allocated_memory() > 0:
        return "mps:0"
    return ""
