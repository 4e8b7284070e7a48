"""A program's PyTorch uses CUDA as soon as it is imported: on the fake driver, with the tensors of the CPU.

So laps of any program of this suite are timed on a device, whatever it does meanwhile.
"""

import ctypes
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
    cuda.fake_work.argtypes = [ctypes.c_size_t, ctypes.c_uint64]
    cuda.fake_use_device(0)
    stream = cuda.fake_stream()
    torch.cuda.is_initialized = lambda: True
    torch.cuda.current_device = lambda: 0
    torch.cuda.get_device_name = lambda device=None: "Fake"
    torch._C._cuda_getDevice = lambda: 0
    torch._C._cuda_getCurrentRawStream = lambda device: stream


sys.meta_path.insert(0, _Torch)
