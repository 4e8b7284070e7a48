"""The wrappers around torch's functions, and putting them back.

Every wrapper has the same shape: pass through when dynamo is tracing or a phase is under way
whose inside is not looked at; otherwise tell the machine, call, tell the machine. What the
program raises goes on its way; what Laptime raises switches the phases off and is logged.
"""

from __future__ import annotations

import functools
import logging
import sys
import weakref
from collections.abc import Callable
from typing import Any

from ._compilation import Compilation, tracing_test
from ._lane import CALL, FETCH, GRADIENTS, UPDATE, WORK, LaneMachines
from ._loader import Iteration, Loader
from ._modules import ModuleLaps, wrap, wrap_gradients
from ._phases import BACKWARD, Phases
from ._thread import Machines


class Patches:
    """What is replaced in torch, and by what."""

    def __init__(self, torch: Any, core: Any, *, modules: bool = False) -> None:
        self._torch = torch
        self._core = core
        self._modules = modules
        self.is_compiling = torch.compiler.is_compiling
        self.is_traced = tracing_test(torch, core)
        self.tensor = torch.Tensor
        self._replaced: list[tuple[Any, str, Any, Any]] = []
        self._loaders: weakref.WeakKeyDictionary[Any, Loader] = weakref.WeakKeyDictionary()
        self._trainer: Callable[[], Any] | None = None
        self._noted_device = False
        self._by_hand = True
        worker = torch.utils.data.get_worker_info
        self._frames: list[Any] = [
            function
            for owner in (Phases, ModuleLaps, Patches, Machines, LaneMachines, Loader, Iteration)
            for function in vars(owner).values()
            if hasattr(function, "__code__")
        ]
        """Functions of ours, which dynamo must not compile by themselves."""
        self._lane = hasattr(core, "Watched")
        machines = functools.partial(LaneMachines, core) if self._lane else Machines
        self.machines = machines(self._machine, lambda: worker() is not None)
        self._compilation = Compilation(torch, self.machines.here)

    def _machine(self) -> Phases:
        return Phases(
            self._core,
            self._torch.is_grad_enabled,
            watch=self.look_for_devices,
            trains=self._trains,
            by_hand=lambda: self._by_hand,
        )

    # -- in and out ------------------------------------------------------------------------

    def apply(self) -> None:
        """Puts the wrappers in place."""
        torch = self._torch
        loading = torch.utils.data.dataloader
        self._replace(loading.DataLoader, "__iter__", self._iter)
        self._replace(loading._BaseDataLoaderIter, "__next__", self._next)
        call = self._call_by_module if self._modules else self._call
        self._replace(torch.nn.Module, "__call__", call)
        self._replace(torch.autograd, "backward", self._backward)
        self._replace(torch.autograd, "grad", self._grad)
        optimizer = torch.optim.Optimizer
        hook = optimizer.profile_hook_step
        self._put(optimizer, "profile_hook_step", staticmethod(self._hook_step(hook)))
        for owner in _subclasses(optimizer):
            step = owner.__dict__.get("step")
            if getattr(step, "hooked", False):
                self._by_hand = False
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

    def _broken(self) -> None:
        logging.getLogger("laptime").exception("automatic phases failed and are off")
        self.remove()

    # -- data ------------------------------------------------------------------------------

    def _iter(self, make: Callable[[Any], Any]) -> Callable[[Any], Any]:
        here, now = self.machines.here, self._core.now

        @functools.wraps(make)
        def __iter__(loader: Any) -> Any:
            start = now()
            iterator = make(loader)
            if not here.busy:
                try:
                    self._iteration(iterator, loader).made = (start, now())
                except Exception:
                    self._broken()
            return iterator

        return __iter__

    def _iteration(self, iterator: Any, loader: Any = None) -> Iteration:
        memory = self._loaders.get(loader) if loader is not None else None
        if memory is None:
            memory = Loader()
            if loader is not None:
                self._loaders[loader] = memory
        iteration = Iteration(memory, weakref.ref(iterator))
        iterator._laptime = iteration
        return iteration

    def _next(self, fetch: Callable[[Any], Any]) -> Any:
        here, take, give = self.machines.here, self.machines.take, self.machines.give

        @functools.wraps(fetch)
        def __next__(iterator: Any) -> Any:
            if here.busy:
                return fetch(iterator)
            machine = take()
            if machine is None:
                return fetch(iterator)
            iteration = getattr(iterator, "_laptime", None) or self._iteration(iterator)
            try:
                here.busy = True
                try:
                    machine.fetch_begin(iteration)
                except Exception:
                    self._broken()
                batch = fetch(iterator)
                here.busy = False
                try:
                    machine.fetch_end(iteration)
                    give(machine)
                except Exception:
                    self._broken()
                return batch
            except StopIteration:
                machine.exhausted(iteration)
                give(machine)
                raise
            except BaseException:
                machine.fetch_failed()
                raise
            finally:
                here.busy = False

        return self._front(FETCH, fetch, __next__)

    # -- forward ---------------------------------------------------------------------------

    def _call(self, call: Callable[..., Any]) -> Any:
        here, take, give = self.machines.here, self.machines.take, self.machines.give
        is_compiling, is_grad_enabled = self.is_compiling, self._torch.is_grad_enabled

        @functools.wraps(call)
        def __call__(module: Any, *args: Any, **kwargs: Any) -> Any:
            if is_compiling() or here.busy:
                return call(module, *args, **kwargs)
            machine = take()
            if machine is None:
                return call(module, *args, **kwargs)
            try:
                here.busy = True
                try:
                    machine.forward_begin(is_grad_enabled(), module, args)
                except Exception:
                    self._broken()
                return call(module, *args, **kwargs)
            except BaseException:
                machine.interrupted()
                raise
            finally:
                here.busy = False
                try:
                    machine.forward_end()
                    give(machine)
                except Exception:
                    self._broken()

        self._frames.append(__call__)
        seen = self._seen_by_dynamo(call, self._front(CALL, call, __call__))
        self._frames.append(seen)
        return seen

    def _call_by_module(self, call: Callable[..., Any]) -> Any:
        by_module = functools.wraps(call)(wrap(self, call, self._call))
        self._frames.append(by_module)
        return by_module

    def module_laps(self) -> ModuleLaps:
        """The laps of one thread's modules."""
        return ModuleLaps(self._torch, self._core)

    def _trains(self, module: Any, args: Any) -> bool:
        trainer = self._trainer
        if trainer is not None and trainer() is module:
            return True
        for parameter in module.parameters():
            if parameter.requires_grad:
                self._trainer = weakref.ref(module)
                return True
        tensor = self._torch.Tensor
        return any(isinstance(value, tensor) and value.requires_grad for value in args)

    # -- backward --------------------------------------------------------------------------

    def _backward(self, backward: Callable[..., Any]) -> Any:
        compute = wrap_gradients(self, backward) if self._modules else backward
        return self._front(GRADIENTS, compute, self._gradients(compute, Phases.backward_begin))

    def _grad(self, grad: Callable[..., Any]) -> Any:
        return self._gradients(grad, Phases.gradient_begin)

    def _gradients(self, compute: Callable[..., Any], begin: Callable[[Phases], None]) -> Any:
        here, take, give = self.machines.here, self.machines.take, self.machines.give
        is_compiling = self.is_compiling

        @functools.wraps(compute)
        def gradients(*args: Any, **kwargs: Any) -> Any:
            if is_compiling() or here.busy:
                return compute(*args, **kwargs)
            machine = take()
            if machine is None:
                return compute(*args, **kwargs)
            try:
                here.busy = True
                try:
                    begin(machine)
                except Exception:
                    self._broken()
                return compute(*args, **kwargs)
            except BaseException:
                machine.interrupted()
                raise
            finally:
                here.busy = False
                try:
                    machine.backward_end()
                    give(machine)
                except Exception:
                    self._broken()

        return gradients

    # -- optimizer -------------------------------------------------------------------------

    def _hook_step(self, hook: Callable[[Any], Any]) -> Callable[[Any], Any]:
        @functools.wraps(hook)
        def profile_hook_step(step: Any) -> Any:
            self._by_hand = False  # an optimizer is being made
            return self._work(hook(step), True)

        return profile_hook_step

    def _work(self, work: Callable[..., Any], stepping: bool) -> Any:
        here, take, give = self.machines.here, self.machines.take, self.machines.give
        is_compiling = self._torch.compiler.is_compiling

        @functools.wraps(work)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            if is_compiling():
                return work(*args, **kwargs)
            machine = take()
            if machine is None:
                return work(*args, **kwargs)
            if here.busy:
                if stepping and machine.op_name == BACKWARD:
                    machine.updated_inside = True
                return work(*args, **kwargs)
            try:
                try:
                    machine.optimizer_begin(stepping)
                except Exception:
                    self._broken()
                return work(*args, **kwargs)
            except BaseException:
                machine.interrupted()
                raise
            finally:
                try:
                    machine.optimizer_end(stepping)
                    give(machine)
                except Exception:
                    self._broken()

        self._frames.append(wrapper)
        front = self._front(UPDATE if stepping else WORK, work, wrapper)
        seen = self._seen_by_dynamo(work, front)
        self._frames.append(seen)
        seen.laptime = self
        return seen

    # -- the fast lane ---------------------------------------------------------------------

    def _front(self, phase: int, original: Any, slow: Any) -> Any:
        """Puts the fast lane before a wrapper, where there is one."""
        if not self._lane:
            return slow
        front = self._core.Watched(phase, original, slow, self._end, self._torch.is_grad_enabled)
        return functools.update_wrapper(front, original)

    def _seen_by_dynamo(self, original: Any, front: Any) -> Any:
        """A function that dynamo can trace, before a front that it can't."""
        if not self._lane:
            return front
        is_traced = self.is_traced

        @functools.wraps(original)
        def watched(*args: Any, **kwargs: Any) -> Any:
            if is_traced():
                return original(*args, **kwargs)
            return front(*args, **kwargs)

        return watched

    def _end(self, phase: int, again: bool, args: Any, exhausted: bool | None) -> None:
        """Ends here what began in the lane. `again`: the state was taken in between."""
        try:
            machine = self.machines.here.machine if again else self.machines.take()
            if machine is None:
                return
            if exhausted is False:
                machine.interrupted()
            if phase == FETCH:
                iteration = args[0]._laptime
                machine.fresh = True
                if exhausted:
                    machine.exhausted(iteration)
                elif exhausted is False:
                    machine.fetch_failed()
                else:
                    machine.fetch_end(iteration)
            elif again:
                if phase == CALL:
                    machine.forward_end()
                elif phase == GRADIENTS:
                    machine.backward_end()
                else:
                    machine.optimizer_end(phase == UPDATE)
            else:
                self.look_for_devices()
            self.machines.give(machine)
        except Exception:
            self._broken()

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
