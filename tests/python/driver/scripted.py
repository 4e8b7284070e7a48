"""Runs a program that knows nothing of it on a fake device: `python scripted.py PROGRAM`.

Every layer gives the device work of a known length and memory of a known size, and so do copies
and optimizers. The device's clock stands still until the program waits for a number of it.
"""

from __future__ import annotations

import ctypes
import importlib
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import torch

sys.path.insert(0, str(Path(__file__).parents[1] / "device"))

from fake_allocator import Allocators
from fake_cuda import FakeCuda

MS, MIB = 1_000_000, 1 << 20
#: By layer: work forward and backward, memory that the backward frees, and more for a moment.
LAYERS = {
    torch.nn.Linear: (2 * MS, 3 * MS, 1 * MIB, 1 * MIB),
    torch.nn.Conv2d: (7 * MS, 11 * MS, 4 * MIB, 2 * MIB),
}
OPTIMIZER_NS = 1 * MS
COPY_NS = MS // 2

torch.set_num_threads(1)
driver = ctypes.CDLL("libcuda.so.1")
driver.fake_stream.restype = ctypes.c_size_t
driver.fake_work.argtypes = [ctypes.c_size_t, ctypes.c_uint64]
driver.fake_advance.argtypes = [ctypes.c_uint64]
driver.fake_use_device(0)
stream = driver.fake_stream()
allocators = Allocators()
timers = FakeCuda()


def work(ns: int) -> None:
    """The device is given work, as laps and as timers find it."""
    driver.fake_work(stream, ns)
    timers.stream.launch(ns)


def wait() -> None:
    """The host waits until all of it is done."""
    driver.fake_advance(1_000 * MS)
    timers.synchronize()


class Enqueued(torch.autograd.Function):
    @staticmethod
    def forward(ctx, output, layer):
        ctx.layer = layer
        forward_ns, _, kept, more = LAYERS[layer]
        allocators.allocate(kept + more)
        allocators.free(more)
        work(forward_ns)
        return output.clone()

    @staticmethod
    def backward(ctx, gradient):
        _, backward_ns, kept, more = LAYERS[ctx.layer]
        allocators.allocate(more)
        allocators.free(kept + more)
        work(backward_ns)
        return gradient, None


def with_work(layer):
    """The layer's forward, which gives the device its work."""
    forward = layer.forward
    return lambda self, x: Enqueued.apply(forward(self, x), layer)


def updating(update):
    """An optimizer's function, which gives the device its work."""

    def updates(*arguments, **options):
        work(OPTIMIZER_NS)
        return update(*arguments, **options)

    return updates


def copied(tensor, *where, to=torch.Tensor.to):
    if where != ("cuda",):
        return to(tensor, *where)
    work(COPY_NS)
    return tensor


def told(tensor, item=torch.Tensor.item):
    # PyTorch's own, such as the seed of a loader, is on the host.
    if not sys._getframe(1).f_globals["__name__"].startswith("torch."):
        wait()
    return item(tensor)


# What a PyTorch for CUDA has, once a program used it.
for name in ("Event", "current_stream", "is_available", "is_initialized", "current_device"):
    setattr(torch.cuda, name, getattr(timers, name))
torch.cuda.is_current_stream_capturing = timers.is_current_stream_capturing
torch.cuda.synchronize = lambda device=None: wait()
torch.cuda.get_device_name = lambda device=None: "Fake"
torch.cuda._initialized = True
torch.accelerator.current_stream = lambda device=None: SimpleNamespace(is_capturing=lambda: False)
torch.cuda.default_generators = (torch.Generator(),)
torch._C._cuda_getDevice = lambda: 0
torch._C._cuda_getDeviceCount = lambda: 1
torch._C._cuda_getCurrentRawStream = lambda device: stream
torch._C._cuda_memoryStats = allocators.stats
torch._C._cuda_resetPeakMemoryStats = allocators.reset
# All of it is in the host's memory.
torch.nn.Module.to = lambda module, where: module
torch.Tensor.to, torch.Tensor.item = copied, told
for layer in LAYERS:
    layer.forward = with_work(layer)
for name in ("sgd", "adam"):
    module = importlib.import_module(f"torch.optim.{name}")
    setattr(module, name, updating(getattr(module, name)))

sys.argv = sys.argv[1:]
runpy.run_path(sys.argv[0], run_name="__main__")
