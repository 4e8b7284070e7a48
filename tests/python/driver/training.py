"""A training on the fake device: each part of a step gives it a known time to work."""

import ctypes

import torch

cuda = ctypes.CDLL("libcuda.so.1")
cuda.fake_stream.restype = ctypes.c_size_t
cuda.fake_work.argtypes = [ctypes.c_size_t, ctypes.c_uint64]
cuda.fake_advance.argtypes = [ctypes.c_uint64]
cuda.fake_use_device(0)
stream = cuda.fake_stream()
MS = 1_000_000

# What a PyTorch for CUDA has, once a program used it.
torch.cuda.is_initialized = lambda: True
torch.cuda.current_device = lambda: 0
torch.cuda.get_device_name = lambda device=None: "Fake"
torch._C._cuda_getDevice = lambda: 0
torch._C._cuda_getCurrentRawStream = lambda device: stream


class Enqueued(torch.autograd.Function):
    """3 ms of work forward, 5 ms backward."""

    @staticmethod
    def forward(ctx, x):
        cuda.fake_work(stream, 3 * MS)
        return x.clone()

    @staticmethod
    def backward(ctx, gradient):
        cuda.fake_work(stream, 5 * MS)
        return gradient


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)

    def forward(self, x):
        return Enqueued.apply(self.inner(x))


class Optimizer(torch.optim.SGD):
    def step(self, closure=None):
        cuda.fake_work(stream, 1 * MS)
        return super().step(closure)


model = Model()
optimizer = Optimizer(model.parameters(), lr=0.01)


def step():
    optimizer.zero_grad()
    loss = model(torch.ones(2, 4)).sum()
    loss.backward()
    optimizer.step()


for _ in range(40):
    step()
    cuda.fake_advance(20 * MS)
