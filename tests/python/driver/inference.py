"""Inference on the fake device: no step is ever taken, and each batch is 3 ms of work."""

import ctypes

import torch

cuda = ctypes.CDLL("libcuda.so.1")
cuda.fake_stream.restype = ctypes.c_size_t
cuda.fake_work.argtypes = [ctypes.c_size_t, ctypes.c_uint64]
cuda.fake_advance.argtypes = [ctypes.c_uint64]
cuda.fake_use_device(0)
stream = cuda.fake_stream()

# What a PyTorch for CUDA has, once a program used it.
torch.cuda.is_initialized = lambda: True
torch.cuda.current_device = lambda: 0
torch.cuda.get_device_name = lambda device=None: "Fake"
torch._C._cuda_getDevice = lambda: 0
torch._C._cuda_getCurrentRawStream = lambda device: stream


class Model(torch.nn.Module):
    def forward(self, x):
        cuda.fake_work(stream, 3_000_000)
        return 2 * x


model = Model()
batches = torch.utils.data.DataLoader(torch.ones(10, 4))
with torch.no_grad():
    for batch in batches:
        model(batch)
        cuda.fake_advance(20_000_000)
