"""A custom autograd.Function, double backward through it, and gradients checked by numbers."""
# needs: torch

import traceback

import torch
from seen import digest, randomness, seed


class Cube(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return 3 * x**2 * grad


class Fails(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, grad):
        raise ArithmeticError("in backward")


seed(0)
x = torch.randn(4, dtype=torch.double, requires_grad=True)
(first,) = torch.autograd.grad(Cube.apply(x).sum(), x, create_graph=True)
(second,) = torch.autograd.grad(first.sum(), x)
print(digest(first, second), torch.autograd.gradcheck(Cube.apply, x))
print(digest(torch.autograd.functional.jacobian(Cube.apply, x)))
try:
    Fails.apply(x).sum().backward()
except ArithmeticError:
    traceback.print_exc()
print(x.grad, randomness())
