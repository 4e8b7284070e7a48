"""What else a step does, how it is counted, and how the count ends."""

from __future__ import annotations

from ..part import part

TWISTS = (
    part("none", is_="scriptable"),
    part(
        "branch on the loss",
        setup="high = 0",
        keeps="high",
        loss="""
if loss.item() > 1.0:
    $high += 1
    loss = loss * 0.5
""",
    ),
    part(
        "branch on an output in the model",
        forward="""
if bool((h.mean() > 0).item()):
    h = h * 2
""",
    ),
    part("choice by a mask", forward="h = h + h[h.detach().mean(1) > 0].sum() * 0.01"),
    part(
        "autograd function with a context",
        defs="""
class Scaled(torch.autograd.Function):
    calls = 0

    @staticmethod
    def forward(ctx, h, factor):
        ctx.save_for_backward(h)
        ctx.factor = factor
        Scaled.calls += 1
        return h * factor

    @staticmethod
    def backward(ctx, grad):
        (h,) = ctx.saved_tensors
        return grad * ctx.factor + 0 * h, None
""",
        forward="h = Scaled.apply(h, 0.7)",
    ),
    part(
        "checkpoint",
        init="self.mix = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.2))",
        forward="""
from torch.utils.checkpoint import checkpoint
h = checkpoint(self.mix, h, use_reentrant=False)
""",
    ),
    part(
        "reentrant checkpoint",
        init="self.mix = nn.Sequential(nn.Linear(8, 8), nn.Tanh())",
        forward="""
from torch.utils.checkpoint import checkpoint
h = checkpoint(self.mix, h, use_reentrant=True)
""",
        is_="reentrant",
    ),
    part(
        "functional_call",
        call="torch.func.functional_call($model, {n: p * 1.0 for n, p in $model.named_parameters()}, (x,))",
        is_="functional",
    ),
    part(
        "gradient penalty",
        before="x = x.detach().requires_grad_()",
        loss="""
(slope,) = torch.autograd.grad(loss, x, create_graph=True)
loss = loss + 0.1 * slope.float().pow(2).sum()
""",
        is_="input double",
    ),
    part(
        "weights clamped",
        last="""
with torch.no_grad():
    for p in $model.parameters():
        p.clamp_(-0.5, 0.5)
""",
    ),
    part(
        "data of parameters replaced",
        last="""
for p in $model.parameters():
    p.data = p.data * 0.99
""",
        is_="replaces",
    ),
    part(
        "requires_grad toggled",
        setup="turn = 0",
        keeps="turn",
        first="""
$turn += 1
for name, p in $model.named_parameters():
    p.requires_grad_($turn % 2 == 0 or "last" in name)
""",
        is_="replaces",
    ),
    part(
        "GAN",
        setup="""
critic = nn.Linear(3, 1)
critic_opt = torch.optim.Adam(critic.parameters(), lr=0.01)
""",
        keeps="critic critic_opt",
        first="""
for p in $critic.parameters():
    p.requires_grad_(False)
""",
        loss="loss = loss - 0.1 * $critic(out.float()).mean()",
        last="""
for p in $critic.parameters():
    p.requires_grad_(True)
$critic_opt.zero_grad()
$critic(out.detach().float()).mean().backward()
$critic_opt.step()
""",
    ),
    part(
        "evaluated in the step",
        setup="scores = []",
        keeps="scores",
        last="""
$model.eval()
with torch.no_grad():
    $scores.append($model(x).float().argmax(1).eq(y).float().mean().item())
$model.train()
""",
        is_="evaluates",
    ),
    part("left in evaluation mode", last="$model.eval()", is_="evaluates"),
    part(
        "module replaced",
        init="self.mix = nn.Linear(8, 8)",
        forward="""
h = self.mix(h)
if self.training and not getattr(self, "grown", False):
    self.mix, self.grown = nn.Sequential(self.mix, nn.ReLU()), True
""",
    ),
    part(
        "counter as a global",
        defs="STEPS = 0\n\ndef another():\n    global STEPS\n    STEPS += 1",
        last="another()",
    ),
    part("log of a module", init="self.log = []", forward="self.log.append(h.detach().mean())"),
    part(
        "loss kept with its graph for the next step",
        setup="pending, knob = None, nn.Parameter(torch.ones(3))",
        keeps="pending knob",
        backward="""
if $pending is not None:
    $pending.backward()
loss.backward()
$pending = ($knob**2 * out.detach().float()).mean()
""",
        is_="delayed",
        rare=True,
    ),
    part(
        "rate changed in a group, group added",
        setup="round, extra = 0, nn.Parameter(torch.zeros(3))",
        keeps="round extra",
        loss="loss = loss + ((out.float() + $extra) ** 2).mean()",
        last="""
$round += 1
if $round == 3:
    $opt.add_param_group({"params": [$extra]})
for group in $opt.param_groups:
    group["weight_decay"] = 0.01 * $round
""",
        is_="needs_optimizer groups",
    ),
    part(
        "weights loaded again",
        setup="saved = copy.deepcopy(model.state_dict())",
        keeps="saved",
        last="$model.load_state_dict($saved); $saved = copy.deepcopy($model.state_dict())",
        is_="copies",
    ),
    part(
        "copy of the model in the step",
        last="""
clone = copy.deepcopy($model)
for p in clone.parameters():
    p.grad = None
del clone
""",
        is_="copies",
    ),
    part(
        "errors swallowed",
        setup="skipped = 0",
        keeps="skipped",
        shape="""
try:
    @shape
except RuntimeError:
    $skipped += 1
    loss = torch.zeros(())
""",
        is_="swallows shape",
    ),
    part(
        "optimizer made in the step",
        last="torch.optim.SGD($model.parameters(), lr=0.001).step()",
    ),
    part(
        "parameters swapped for averages and back",
        setup="backup, mean = {}, {n: p.detach().clone() for n, p in model.named_parameters()}",
        keeps="backup mean",
        last="""
for n, p in $model.named_parameters():
    $backup[n] = p.data
    p.data = $mean[n]
for n, p in $model.named_parameters():
    p.data = $backup.pop(n)
    $mean[n].mul_(0.9).add_(p.detach(), alpha=0.1)
""",
        is_="replaces",
    ),
)

COUNTS = (
    part("step", is_="step"),
    part("step on real tensors", is_="step"),
    part("step on fake tensors", is_="step"),
    part("step, twice", is_="step"),
    part("step, in a thread", is_="step thread"),
    part("model with its backward", is_="model"),
    part("model with its backward on real tensors", is_="model"),
    part("model", is_="model"),
    part(
        "inside a step, by a hook",
        defs="def probe(module, inputs):\n    pass",
        setup="model.register_forward_pre_hook(lambda module, inputs: probe(module, inputs))",
        is_="model hooks",
    ),
)

ENDS = (
    part("returns"),
    part("raises an exception", is_="kills"),
    part("raises RuntimeError", is_="kills runtime"),
    part("runs out of memory", is_="kills"),
    part("recurses too deeply", is_="kills runtime"),
    part("is interrupted", is_="kills"),
    part("exits", is_="kills"),
)
