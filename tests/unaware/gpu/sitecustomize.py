"""A program's PyTorch uses CUDA once it is imported: on the fake driver, with tensors of the CPU.

So laps of any program of this suite are timed on a device, whatever it does meanwhile.
"""

import ctypes
import functools
import importlib.util
import sys


class _Torch:
    """Finds torch once, and scripts it when its module has run."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name != "torch":
            return None
        sys.meta_path.remove(_Torch)
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            run = spec.loader.exec_module
            spec.loader.exec_module = lambda module: (run(module), _script(module))
        return spec


def _script(torch):
    cuda = ctypes.CDLL("libcuda.so.1")
    cuda.fake_stream.restype = ctypes.c_size_t
    cuda.fake_use_device(0)
    stream = cuda.fake_stream()
    torch.cuda.is_initialized = lambda: True
    torch.cuda.current_device = lambda: 0
    torch.cuda.get_device_name = lambda device=None: "Fake"
    # No functions of Python's, as theirs aren't: those would be frames that a compiler sees.
    torch._C._cuda_getDevice = functools.partial(int, 0)
    torch._C._cuda_getCurrentRawStream = {0: stream}.__getitem__


sys.meta_path.insert(0, _Torch)
