"""Every kind of hook on modules, tensors, optimizers: what is called, how often, in which order."""
# needs: torch

import torch
from seen import seed
from torch import nn
from torch.nn.modules import module as modules
from torch.optim import optimizer as optimizers

log = []


def hook(name, answer=None):
    def call(*arguments, **keywords):
        log.append((name, [type(argument).__name__ for argument in arguments]))
        return answer

    return call


seed(0)
model = nn.Sequential(nn.Linear(2, 2), nn.ReLU())
handles = [
    modules.register_module_forward_pre_hook(hook("global pre")),
    modules.register_module_forward_hook(hook("global forward")),
    modules.register_module_full_backward_pre_hook(hook("global backward pre")),
    modules.register_module_full_backward_hook(hook("global backward")),
    model.register_forward_pre_hook(hook("pre"), with_kwargs=True),
    model.register_forward_hook(hook("forward"), always_call=True),
    model[0].register_full_backward_pre_hook(hook("backward pre")),
    model[0].register_full_backward_hook(hook("backward")),
    model.register_state_dict_post_hook(hook("state dict")),
    model.register_load_state_dict_post_hook(hook("load")),
    optimizers.register_optimizer_step_pre_hook(hook("global step pre")),
    optimizers.register_optimizer_step_post_hook(hook("global step post")),
]
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
optimizer.register_step_pre_hook(hook("step pre"))
optimizer.register_step_post_hook(hook("step post"))
model[0].weight.register_hook(hook("tensor"))
model[0].weight.register_post_accumulate_grad_hook(hook("accumulated"))
out = model(torch.ones(1, 2))
out.grad_fn.register_hook(hook("node"))
out.grad_fn.register_prehook(hook("node pre"))
out.sum().backward()
optimizer.step()
model.load_state_dict(model.state_dict())
for entry in log:
    print(*entry)
print([len(h.hooks_dict_ref()) for h in handles], len(modules._global_forward_hooks))
print(len(optimizers._global_optimizer_pre_hooks), len(model._forward_hooks))
log.clear()
for handle in handles:
    handle.remove()
optimizer.zero_grad()
model(torch.ones(1, 2)).sum().backward()
optimizer.step()
print(log, len(modules._global_forward_hooks), len(modules._global_backward_hooks))
