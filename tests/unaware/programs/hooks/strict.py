"""Classes of tensors and modes that write down, or refuse, what `__torch_function__` is asked."""
# needs: torch

import torch
from seen import digest, randomness, seed
from torch import nn
from torch.overrides import TorchFunctionMode

seed(0)
log = []


class Strict(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, arguments=(), keywords=None):
        if function.__name__ not in ("size", "__get__"):
            return NotImplemented
        return super().__torch_function__(function, types, arguments, keywords or {})


class Logged(torch.Tensor):
    @classmethod
    def __torch_function__(cls, function, types, arguments=(), keywords=None):
        log.append(getattr(function, "__name__", str(function)))
        return super().__torch_function__(function, types, arguments, keywords or {})


class Functions(TorchFunctionMode):
    def __torch_function__(self, function, types, arguments=(), keywords=None):
        log.append(f"mode {getattr(function, '__name__', function)}")
        return function(*arguments, **(keywords or {}))


def told(what):
    print(what, len(log), *log)
    log.clear()


own = torch.library.Library("seen", "DEF")
own.define("twice(Tensor x) -> Tensor")
own.impl("twice", lambda x: x * 2, "CPU")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(3, 3), nn.Linear(3, 3)

    def forward(self, x):
        inner = self.first(x.as_subclass(Logged) * 1.5).relu() + 1
        with torch.no_grad():
            torch.ops.seen.twice(inner)
        return self.second(inner)


linear = nn.Linear(3, 3)
linear(torch.ones(2, 3)).backward(torch.ones(2, 3).as_subclass(Strict))
print(linear.weight.grad.sum().item())
linear(torch.ones(2, 3)).backward(torch.ones(2, 3).as_subclass(Logged))
told("gradient")
net = Net()
for child in net.children():
    child.register_full_backward_pre_hook(lambda module, gradient: log.append("pre-hook"))
    child.register_full_backward_hook(lambda module, inputs, outputs: log.append("hook"))
for _ in range(2):
    out = net(torch.ones(2, 3))
    told("forward")
    out.as_subclass(torch.Tensor).sum().backward()
    told("backward")
out = net(torch.ones(4, 3)).as_subclass(torch.Tensor).sum()
with Functions():
    out.backward()
told("backward in a mode")
with Functions():
    net(torch.ones(5, 3))
told("forward in a mode")
with torch.inference_mode():
    net(torch.ones(6, 3))
told("inference")
print(digest([p.grad.as_subclass(torch.Tensor) for p in net.parameters()]), randomness())
