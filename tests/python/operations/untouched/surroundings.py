"""What a program stands in: random states, switches, hooks and functions of the whole process.

`numbers` is the same in every run of a program; `identities` is compared within one run.
"""

from __future__ import annotations

import gc
import hashlib
import logging
import os
import random
import signal
import sys
import threading
import types
import warnings
from typing import Any

import numpy as np
import torch
import torch.utils.checkpoint
from torch._subclasses import fake_tensor
from torch.nn.modules import module as modules
from torch.optim import optimizer as optimizers

#: Where something that follows a program may put functions of its own.
_PATCHED: dict[str, Any] = {
    "torch": torch,
    "torch.Tensor": torch.Tensor,
    "torch._C.TensorBase": torch._C.TensorBase,
    "torch.nn.Module": torch.nn.Module,
    "torch.nn.Parameter": torch.nn.Parameter,
    "torch.nn.functional": torch.nn.functional,
    "torch.nn.init": torch.nn.init,
    "torch.nn.modules.module": modules,
    "torch.optim.Optimizer": torch.optim.Optimizer,
    "torch.optim.optimizer": optimizers,
    "torch.autograd": torch.autograd,
    "torch.autograd.graph": torch.autograd.graph,
    "torch.autograd.Function": torch.autograd.Function,
    "torch.amp.GradScaler": torch.amp.GradScaler,
    "torch.random": torch.random,
    "torch.utils.checkpoint": torch.utils.checkpoint,
    "torch.func": torch.func,
    "torch._subclasses.fake_tensor": fake_tensor,
    "random": random,
    "numpy.random": np.random,
}


#: Attributes of these that say something; others are containers that torch itself fills.
_COMPARED = (types.FunctionType, types.BuiltinFunctionType, type, int, float, str)


def numbers() -> dict[str, str]:
    """States and switches, by name."""
    found: dict[str, Any] = {
        "random state of torch": digest(torch.get_rng_state().numpy().tobytes()),
        "random state of Python": digest(repr(random.getstate()).encode()),
        "random state of NumPy": digest(numpy_state(np.random)),
        "grad mode": torch.is_grad_enabled(),
        "inference mode": torch.is_inference_mode_enabled(),
        "default type": torch.get_default_dtype(),
        "default device": torch.get_default_device(),
        "threads": torch.get_num_threads(),
        "autocast": torch.is_autocast_enabled("cpu"),
        "autocast type": torch.get_autocast_dtype("cpu"),
        "autocast cache": torch.is_autocast_cache_enabled(),
        "anomaly mode": torch.is_anomaly_enabled(),
        "deterministic": torch.are_deterministic_algorithms_enabled(),
        "fast path": torch.backends.mha.get_fastpath_enabled(),
        "oneDNN": torch._C._get_mkldnn_enabled(),
        "swap of parameters": torch.__future__.get_swap_module_params_on_conversion(),
        "overwriting of parameters": torch.__future__.get_overwrite_module_params_on_conversion(),
        "dispatch modes": torch._C._len_torch_dispatch_stack(),
        "function modes": torch._C._len_torch_function_stack(),
        "functorch level": torch._C._functorch.maybe_current_level(),
        "saved tensors hooks": torch._C._autograd._saved_tensors_hooks_is_enabled(),
        "multithreaded backward": torch._C._is_multithreading_enabled(),
        "view replay": torch._C._is_view_replay_enabled(),
        "values kept by fake tensors": fake_tensor.CONSTANT_NUMEL_LIMIT,
        "recursion limit": sys.getrecursionlimit(),
        "folder": os.getcwd(),
    }
    return {f"<{name}>": str(value) for name, value in found.items()}


def numpy_state(of: Any) -> bytes:
    """The legacy state of NumPy's module or of a `RandomState`, as bytes."""
    name, keys, *rest = of.get_state()
    return keys.tobytes() + repr((name, rest)).encode()


def identities() -> dict[str, Any]:
    """Functions and hooks of the process, by name, and which objects they are."""
    found: dict[str, Any] = {
        "hooks of all modules": [
            (name, list(vars(modules)[name].items()))
            for name in sorted(vars(modules))
            if name.startswith("_global_") and isinstance(vars(modules)[name], dict)
        ],
        "hooks of all optimizers": [
            list(vars(optimizers)[name].items())
            for name in ("_global_optimizer_pre_hooks", "_global_optimizer_post_hooks")
        ],
        "tracer": (sys.gettrace(), sys.getprofile(), threading.gettrace()),
        "what shows exceptions": (sys.excepthook, sys.unraisablehook, threading.excepthook),
        "what finds modules": list(sys.meta_path),
        "what is printed to": (id(sys.stdout), id(sys.stderr)),
        "signal handlers": [signal.getsignal(number) for number in (2, 11, 14, 15)],
        "blocked signals": sorted(signal.pthread_sigmask(signal.SIG_BLOCK, [])),
        "garbage collection": (gc.isenabled(), gc.get_threshold(), len(gc.callbacks)),
        "warnings": [repr(found) for found in warnings.filters],
        "threads": sorted(thread.name for thread in threading.enumerate()),
        "environment": dict(os.environ),
        "a silent logger": logging.getLogger("torch._subclasses.fake_tensor").disabled,
        "class of all modules": [id(base) for base in torch.nn.Module.__mro__],
    }
    lines: dict[str, Any] = {f"<{name}>": repr(value) for name, value in found.items()}
    for place, owner in _PATCHED.items():
        lines[place] = {
            name: value for name, value in vars(owner).items() if isinstance(value, _COMPARED)
        }
    return lines


def difference(before: dict[str, Any], after: dict[str, Any]) -> str | None:
    """The first entry that isn't what it was. What was imported in between is no difference."""
    for name, was in before.items():
        now = after.get(name)
        if isinstance(was, dict) and isinstance(now, dict):
            new = sorted(now.keys() - was.keys()) if isinstance(_PATCHED.get(name), type) else []
            if new:
                return f"<{name}.{new[0]}> is new: {now[new[0]]!r}"
            for attribute, value in was.items():
                if now.get(attribute) is not value and now.get(attribute) != value:
                    return f"<{name}.{attribute}> was {value!r}, is {now.get(attribute)!r}"
        elif now != was:
            return f"{name} was {_short(was)}, is {_short(now or 'gone')}"
    return None


def _short(text: str) -> str:
    return text if len(text) < 200 else f"{text[:150]}… ({digest(text.encode())})"


def digest(data: bytes) -> str:
    """Sixteen letters that stand for bytes."""
    return hashlib.blake2b(data, digest_size=8).hexdigest()
