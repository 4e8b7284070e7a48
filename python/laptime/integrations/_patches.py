"""What Laptime watches of torch, and what the machine asks about torch's objects.

Nothing of torch's is replaced: a :class:`Watched` lies over the functions that every training
program goes through, which stay the objects that they are. It tells the machine of its thread
what begins and ends. What the program raises goes on its way; what Laptime raises switches the
phases off, with one line.
"""

from __future__ import annotations

import logging
import os
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

from .. import _device_times
from .._core import Phases, Watched, raised_by_handler
from .._driver import why_unusable, why_unused
from .._log import warn
from .._post_import import wait_no_more, when_imported
from ._children import Children
from ._communication import Communication
from ._compilation import Compilation
from ._counting import Counting
from ._kernels import Kernels
from ._learned_tensors import Learned
from ._modules import ModuleLaps, RootNames, parameters
from ._node_hooks import NodeHooks
from ._wrapped_functions import FUNCTION, put_innermost

os.register_at_fork(after_in_child=Phases.forked)

#: Calls that make up a step.
STEP_EVENTS = {"fetch", "forward", "backward", "gradient", "step", "work"}
_KERAS_PARALLEL = "keras.src.backend.torch.optimizers.torch_parallel_optimizer"


class ThreadModules(threading.local):
    """What a thread knows of its modules."""

    laps: Any = None


def _is_thread() -> bool:
    """Whether the program started the running thread: autograd's own are unknown, or dummies."""
    known = threading._active.get(threading.get_ident())  # type: ignore[attr-defined]
    return known is not None and not isinstance(known, threading._DummyThread)


def _tensors(torch: Any) -> tuple[Any, Any, Any] | None:
    """What tells a tensor, and whether its sizes may be asked without anybody noticing."""
    answers = (
        getattr(torch._C, "_is_torch_function_mode_enabled", None),
        getattr(torch._C, "_get_tracing_state", None),
    )
    return None if None in answers else (torch.Tensor, *answers)


class Patches:
    """What is watched of torch, and by what."""

    def __init__(
        self,
        torch: Any,
        core: Any,
        *,
        modules: bool = False,
        ops: bool = False,
        kernels: range | None = None,
    ) -> None:
        """`core` makes laps."""
        self._torch = torch
        self._core = core
        self._noted_device = self._noted_unused = self._noted_threads = False
        self._known_loaders: weakref.WeakSet[type] = weakref.WeakSet()
        self._is_on = False
        self._process = os.getpid()
        self._names = RootNames()
        self._hooks = NodeHooks(core)
        self._watched: dict[tuple[str, str], Watched] = {}
        worker = torch.utils.data.get_worker_info
        self._communication = Communication(torch, lambda: _device_in_use(torch))
        learned = Learned(torch)
        self.phases = Phases(
            is_grad_enabled=torch.is_grad_enabled,
            compiler=vars(torch.compiler),
            is_compiling=torch.compiler.is_compiling,
            is_worker=lambda: worker() is not None,
            is_thread=_is_thread,
            learns=self._learns,
            training=self._training,
            bare=self._bare,
            for_learned=learned.among,
            of_function=learned.of_function,
            is_waited_for=self._communication.is_waited_for,
            last_gradients=self._communication.last_gradients,
            tensors=_tensors(torch),
            look=self.look_for_devices,
            broken=self._broken,
        )
        self.counting = Counting(torch, core, self.phases) if ops else None
        self._kernels = Kernels(torch, core, self.phases, kernels) if kernels else None
        self._modules = ThreadModules()
        self._split = (
            (self._modules, self._module_laps, self._hooks.step_aside) if modules else None
        )
        self._compilation = Compilation(self.phases)
        self._children = Children(self.finish)

    # -- in and out ------------------------------------------------------------------------

    def apply(self) -> None:
        """Watches from now on."""
        self._is_on = True
        torch = self._torch
        loading = torch.utils.data.dataloader
        self._watch("iter", loading.DataLoader, "__iter__")
        self._watch("result", loading.DataLoader, "__init__", lambda _: self._loaders())
        self._loaders()
        self._watch("fetch", loading._BaseDataLoaderIter, "__next__")
        self._watch("forward", torch.nn.Module, "__call__")
        for name in ("__init__", "__setstate__", "load_state_dict"):
            function = torch.nn.Module.__dict__.get(name)
            if isinstance(function, FUNCTION):  # what has replaced it is called in no phase anyway
                self._put("made", name, function)
        self._watch("backward", torch.autograd, "backward")
        self._watch("gradient", torch.autograd, "grad")
        when_imported("torch._functorch.eager_transforms", self._functions_of)
        optimizer = torch.optim.Optimizer
        for owner in _subclasses(optimizer):
            step = owner.__dict__.get("step")
            if getattr(step, "hooked", False):
                self.phases.has_optimizer()
                self._put("step", "step", step)
        self._watch("result", optimizer, "profile_hook_step", self._step_made)
        when_imported("keras.src.optimizers.base_optimizer", self._keras_optimizers)
        when_imported(_KERAS_PARALLEL, self._keras_parallel)
        for owner in (optimizer, torch.nn.Module):
            self._watch("work", owner, "zero_grad")
        scaler = getattr(getattr(torch, "amp", None), "GradScaler", None)
        if scaler is not None:
            self._watch("step", scaler, "step")
            self._watch("work", scaler, "update")
            self._watch("work", scaler, "unscale_")
        if self._kernels is not None:
            self._kernels.apply()
        self._compilation.apply()
        self._communication.apply(self.phases)
        self._children.apply()

    def remove(self) -> None:
        """Watches nothing any more and closes what is open on this thread."""
        self._is_on = False
        wait_no_more(self)
        self._children.remove()
        self.finish()
        for watched in self._watched.values():
            watched.take()
        self._watched.clear()
        self.phases.close()
        self._compilation.remove()
        self._communication.remove()

    def finish(self) -> None:
        """Closes what is open on this thread and looks for devices a last time."""
        try:
            if self._kernels is not None:
                self._kernels.finish()
            if self.counting is not None:
                self.counting.finish()
            self.phases.finish(_has_failed())
            self.look_for_devices()
            self._say_if_no_device(why_unused)
            if not self.phases.has_begun() and os.getpid() == self._process:
                self._core.note("phases.none", "no PyTorch module and no optimizer was called")
        except Exception as error:
            if raised_by_handler(error):
                raise
            say("automatic phases did not end well", error)

    def _loaders(self) -> None:
        """Watches loaders that are gone over in a way of their own: some keep one iterator."""
        for owner in _subclasses(self._torch.utils.data.DataLoader):
            function = owner.__dict__.get("__iter__")
            if isinstance(function, FUNCTION) and owner not in self._known_loaders:
                self._known_loaders.add(owner)
                self._put("over", "__iter__", function)

    def _functions_of(self, transforms: Any) -> None:
        """Watches what computes a function's gradient together with its value."""
        function = vars(transforms).get("grad_and_value_impl")
        if isinstance(function, FUNCTION):
            known = self._watched["function", "grad_and_value_impl"] = Watched(
                "function", self.phases
            )
            put_innermost(known, function)

    def _keras_optimizers(self, optimizers: Any) -> None:
        """Watches Keras's own optimizers where it uses torch: they step none of torch's."""
        backend = sys.modules.get("keras.src.backend")
        if self._is_on and backend is not None and backend.backend() == "torch":
            optimizer = optimizers.BaseOptimizer
            self._watch("result", optimizer, "apply", lambda _: self.phases.has_optimizer())
            self._watch("work", optimizer, "apply")
            self._watch("step", optimizer, "_backend_update_step")

    def _keras_parallel(self, optimizers: Any) -> None:
        """Watches those of them that update all weights at once."""
        if self._is_on:
            self._watch("step", optimizers.TorchParallelOptimizer, "_backend_update_step")

    def _watch(
        self, event: str, owner: Any, name: str, told: Callable[..., Any] | None = None
    ) -> None:
        """Watches a function of a class or a module, as torch defines it."""
        function = owner.__dict__.get(name)
        function = getattr(function, "__func__", function)
        if isinstance(function, FUNCTION):
            self._put(event, name, function, told)
        else:
            of = getattr(owner, "__name__", owner)
            warn(f"something has replaced torch's {name} of {of}: its calls are in no phase")

    def _put(
        self, event: str, name: str, function: Any, told: Callable[..., Any] | None = None
    ) -> None:
        known = self._watched.get((event, name))
        if known is None:
            counting = None
            if self.counting is not None:
                counting = self.counting.around(event, name)
            if self._kernels is not None and event in STEP_EVENTS:
                counting = self._kernels.around(counting)
            split = self._split if event in ("forward", "backward", "gradient") else None
            known = Watched(event, self.phases, counting=counting, split=split, told=told)
            self._watched[event, name] = known
        known.put(function)

    def _step_made(self, step: Callable[..., Any]) -> None:
        """An optimizer is made, the first of its class."""
        self.phases.has_optimizer()
        self._note_rank()
        self._put("step", "step", step)

    def _broken(self, error: Exception) -> None:
        say("automatic phases are off from here on", error)
        try:
            self._core.note("phases.failed", f"automatic phases failed: {_told(error)}")
        finally:
            self.remove()

    # -- questions -------------------------------------------------------------------------

    def _module_laps(self) -> ModuleLaps:
        """The laps of one thread's modules."""
        laps = ModuleLaps(self._torch, self._core, self._names, self._hooks)
        self._modules.laps = laps
        return laps

    def _learns(self, module: Any, args: Any) -> int:
        """What a module call has to learn: nothing, what it is given, or the module itself."""
        tensor = self._torch.Tensor
        with self._torch._C.DisableTorchFunction():
            if any(map(self._requires_grad, parameters(self._torch, module))):
                return 2
            given = [value for value in args if issubclass(type(value), tensor)]
            return int(any(map(self._requires_grad, given)))

    def _requires_grad(self, value: Any) -> bool:
        """Whether a tensor learns, or what `torch.func` made it of: `vmap`'s do not say so."""
        wrapped = self._torch._C._functorch
        while not value.requires_grad and wrapped.is_functorch_wrapped_tensor(value):
            value = wrapped.get_unwrapped(value)
        return bool(value.requires_grad)

    def _training(self, module: Any) -> bool:
        """Whether a module trains that has no mode of its own: a scripted one's is elsewhere."""
        scripted = isinstance(module, self._torch.jit.ScriptModule)
        return not scripted or getattr(module, "training", False) is not False

    def _bare(self, module: Any) -> bool:
        """Whether a module has no parameters: a loss, say."""
        with self._torch._C.DisableTorchFunction():
            return next(iter(parameters(self._torch, module)), None) is None

    def _note_rank(self) -> None:
        """Says which of the processes that train together this one is."""
        distributed = sys.modules.get("torch.distributed")
        if distributed is not None and distributed.is_available() and distributed.is_initialized():
            self._core.note("environment.rank", str(distributed.get_rank()))

    # -- devices ---------------------------------------------------------------------------

    def _note_threads(self) -> None:
        """Says once on how many threads this process computes."""
        if not self._noted_threads:
            self._noted_threads = True
            self._core.note("environment.threads", str(self._torch.get_num_threads()))

    def look_for_devices(self) -> None:
        """Says once that a device is in use: host time there measures launches."""
        if self.phases.has_begun():
            self._note_threads()
        if self._noted_device:
            return
        device = _device_in_use(self._torch)
        if device:
            self._noted_device = True
            if not _device_times.follow(self._torch):
                off = ", and LAPTIME_DEVICE=off" if _device_times.is_switched_off() else ""
                self._core.note("device-active", f"torch used {device}{off}")
            self._core.note("environment.device", _device_name(self._torch, device))
        else:
            self._say_if_no_device(why_unusable)

    def _say_if_no_device(self, why: Callable[[Any], str | None]) -> None:
        """Says once why nothing is timed on a device, for those who ask for such a number."""
        if self._noted_device or self._noted_unused or os.getpid() != self._process:
            return
        reason = why(self._torch)
        if reason is not None:
            self._noted_unused = True
            self._core.note("device.unused", reason)


def say(what: str, error: BaseException) -> None:
    """One line about a failure of Laptime's own; where it happened is for those who debug it."""
    warn(f"{what}: {_told(error)}; the program goes on")
    logging.getLogger("laptime").debug("%s", what, exc_info=error)


def _told(error: BaseException) -> str:
    try:
        return " ".join(f"{type(error).__name__}: {error}".split()).rstrip(":")
    except Exception:
        return type(error).__name__


def _subclasses(owner: Any) -> list[Any]:
    found, waiting = [], [owner]
    while waiting:
        waiting.extend(type.__subclasses__(waiting.pop()))
        found.extend(waiting)
    return list(dict.fromkeys(found))


def _has_failed() -> bool:
    """Whether an error ends the program, or the `with` that recorded it."""
    raised = sys.exc_info()[0]
    if raised is None and not hasattr(sys, "ps1"):  # at a prompt, the last error is an older one
        raised = getattr(sys, "last_type", None)
    return raised is not None and not issubclass(raised, SystemExit)


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


def _device_name(torch: Any, device: str) -> str:
    """What a device in use is called, so that recordings of two kinds aren't compared."""
    kind = device.partition(":")[0]
    named = getattr(getattr(torch, kind, None), "get_device_name", None)
    try:
        return str(named()) if named is not None else kind
    except Exception as error:
        if raised_by_handler(error):
            raise
        return kind
