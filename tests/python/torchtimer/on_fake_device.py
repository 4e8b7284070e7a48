"""Runs a program on a fake device: `python on_fake_device.py PROGRAM ARGS`.

Every operator gives the device a millisecond of work, and its results take memory as PyTorch's
allocator counts it: in blocks of 512 bytes, until nobody holds them.
"""

from __future__ import annotations

import runpy
import sys
import weakref
from pathlib import Path

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

sys.path.insert(0, str(Path(__file__).parents[1] / "device"))

from fake_allocator import Allocators
from fake_cuda import FakeCuda

MS, BLOCK = 1_000_000, 512

allocators, cuda = Allocators(), FakeCuda()


class InHostMemory(TorchFunctionMode):
    """Nothing reaches a driver: what is asked for on the device is made on the host."""

    def __torch_function__(self, function, types, arguments=(), options=None):
        options = {name: _on_host(one) for name, one in (options or {}).items()}
        return function(*map(_on_host, arguments), **options)


def _on_host(one):
    return "cpu" if isinstance(one, str) and one == "cuda" else one


class Counted(TorchDispatchMode):
    """Operators take time, and their results memory that is freed with them."""

    def __init__(self) -> None:
        super().__init__()
        self.held: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()

    def __torch_dispatch__(self, function, types, arguments=(), options=None):
        given = {id(one.untyped_storage()) for one in arguments if isinstance(one, torch.Tensor)}
        result = function(*arguments, **(options or {}))
        cuda.stream.launch(MS)
        for one in result if isinstance(result, (tuple, list)) else [result]:
            if isinstance(one, torch.Tensor) and one._base is None:
                self._allocate(one.untyped_storage(), given)
        return result

    def _allocate(self, storage, given) -> None:
        if id(storage) in given or storage in self.held:
            return
        size = -(-storage.nbytes() // BLOCK) * BLOCK
        allocators.allocate(size)
        self.held[storage] = weakref.finalize(storage, allocators.free, size)


# What a PyTorch for CUDA has, once a program used it.
for name in ("Event", "current_stream", "is_available", "is_initialized", "current_device"):
    setattr(torch.cuda, name, getattr(cuda, name))
torch.cuda._initialized = True
torch.cuda.is_current_stream_capturing = cuda.is_current_stream_capturing
torch.accelerator.current_stream = cuda.current_stream
torch._C._cuda_getDevice = lambda: 0
torch._C._cuda_memoryStats = allocators.stats
torch._C._cuda_resetPeakMemoryStats = allocators.reset

sys.argv = sys.argv[1:]
sys.path.insert(0, str(Path(sys.argv[0]).parent))
with InHostMemory(), Counted():
    runpy.run_path(sys.argv[0], run_name="__main__")
    print("the program's own peak:", torch.cuda.max_memory_allocated())
