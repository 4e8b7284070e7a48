"""What hooks do beside the step."""

from __future__ import annotations

from ..part import part

HOOKS = (
    part("none", is_="scriptable"),
    part(
        "forward hook that writes outside",
        setup="""
outputs = []
model.register_forward_hook(lambda module, inputs, output: outputs.append(output.detach().float().sum()))
""",
        is_="hooks",
    ),
    part(
        "forward hook on a part, into a dict",
        init="""
self.features = {}
self.body.register_forward_hook(self.remember)
""",
        forward="h = h + 0 * self.features['sum']",
        method="""
def remember(self, module, inputs, output):
    self.features["sum"] = h.detach().float().sum() if torch.is_tensor(h := output) else torch.ones(())
""",
        is_="uncopied",
    ),
    part(
        "pre-hook with a state",
        setup="""
calls = {"n": 0}

def counts(module, inputs):
    calls["n"] += 1
    module.called = calls["n"]

model.register_forward_pre_hook(counts)
""",
        is_="hooks",
    ),
    part(
        "hook of a gradient",
        setup="""
norms = collections.deque(maxlen=4)
next(p for p in model.parameters() if p.requires_grad).register_hook(lambda grad: norms.append(grad.norm()) or grad * 0.5)
""",
        is_="uncopied",
    ),
    part(
        "full backward hook",
        setup="""
flow = []
model.register_full_backward_hook(lambda module, inward, outward: flow.append(float(outward[0].float().norm())))
""",
        is_="hooks once",
    ),
    part(
        "post-accumulate hook",
        setup="""
arrived = collections.Counter()
for name, p in model.named_parameters():
    if p.requires_grad:
        p.register_post_accumulate_grad_hook(lambda p, name=name: arrived.update([name]))
""",
        is_="uncopied",
    ),
    part(
        "hooks of the optimizer's step",
        setup="""
steps = []
opt.register_step_pre_hook(lambda opt, args, kwargs: steps.append(len(opt.state)))
opt.register_step_post_hook(lambda opt, args, kwargs: steps.append("done"))
""",
        is_="needs_optimizer",
    ),
    part(
        "hook that comes and goes",
        keeps="grabbed",
        setup="grabbed = []",
        before="handle = $model.register_forward_hook(lambda module, inputs, output, to=$grabbed: to.append(output.detach()))",
        loss="handle.remove()",
        is_="hooks",
    ),
    part(
        "saved-tensor hooks",
        setup="packed = []",
        keeps="packed",
        cast="torch.autograd.graph.saved_tensors_hooks(lambda t, to=$packed: to.append(t.shape) or t.detach().clone(), lambda t: t)",
        is_="casts",
    ),
)
