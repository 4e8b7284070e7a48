"""How weights are changed: optimizers, gradients, schedules, and precision."""

from __future__ import annotations

from ..part import Part, part

#: What most optimizers are: of torch, with one call of the model.
_PLAIN = "optimizer scaled accumulates"


def _of_torch(name: str, call: str, is_: str = _PLAIN) -> Part:
    return part(
        name,
        is_=is_,
        optimizer=f"opt = torch.optim.{call}",
        keeps="opt",
        update="$opt.step()",
    )


_CLOSURE = """
out = None

def closure():
    nonlocal x, y, out
    @scope
    @zero
    @run
    @backward
    return loss
loss = $opt.step(closure)
"""

OPTIMIZERS = (
    _of_torch("SGD", "SGD(model.parameters(), lr=0.05)"),
    _of_torch("momentum", "SGD(model.parameters(), lr=0.05, momentum=0.9, weight_decay=0.01)"),
    _of_torch(
        "Nesterov in two groups",
        "SGD([{'params': [p for n, p in model.named_parameters() if n.endswith('bias')], 'lr': 0.1},"
        " {'params': [p for n, p in model.named_parameters() if not n.endswith('bias')]}],"
        " lr=0.05, momentum=0.9, nesterov=True)",
    ),
    _of_torch("AdamW", "AdamW(model.parameters(), lr=0.01)"),
    _of_torch("AdamW foreach", "AdamW(model.parameters(), lr=0.01, foreach=True, amsgrad=True)"),
    _of_torch("AdamW fused", "AdamW(model.parameters(), lr=0.01, fused=True)"),
    _of_torch("AdamW with a tensor as rate", "AdamW(model.parameters(), lr=torch.tensor(0.01))"),
    _of_torch("Adagrad", "Adagrad(model.parameters(), lr=0.05)"),
    _of_torch("RMSprop", "RMSprop(model.parameters(), lr=0.01, momentum=0.5, centered=True)"),
    _of_torch("NAdam", "NAdam(model.parameters(), lr=0.01)"),
    _of_torch("Adafactor", "Adafactor(model.parameters(), lr=0.01)"),
    part(
        "LBFGS",
        is_="optimizer closure",
        optimizer="opt = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=2)",
        keeps="opt",
        shape=_CLOSURE,
    ),
    part(
        "Lookahead of one's own",
        is_="accumulates stepped",
        defs="""
class Lookahead:
    def __init__(self, inner, every=2):
        self.inner, self.every, self.steps = inner, every, 0
        self.slow = {p: p.detach().clone() for g in inner.param_groups for p in g["params"]}

    def zero_grad(self):
        self.inner.zero_grad()

    def step(self):
        self.inner.step()
        self.steps += 1
        if self.steps % self.every == 0:
            with torch.no_grad():
                for p, slow in self.slow.items():
                    slow.add_(p.detach() - slow, alpha=0.5)
                    p.copy_(slow)
""",
        optimizer="opt = Lookahead(torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9))",
        keeps="opt",
        update="$opt.step()",
    ),
    part(
        "subclass with counters",
        is_=_PLAIN,
        defs="""
class Signs(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {"lr": 0.01})
        self.calls, self.log = 0, []

    @torch.no_grad()
    def step(self, closure=None):
        self.calls += 1
        for group in self.param_groups:
            group["seen"] = group.get("seen", 0) + 1
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["step"], state["mean"] = 0, torch.zeros_like(p)
                state["step"] += 1
                state["mean"].lerp_(p.grad, 0.1)
                p.add_(state["mean"].sign(), alpha=-group["lr"])
                self.log.append(state["step"])
""",
        optimizer="opt = Signs(model.parameters())",
        keeps="opt",
        update="$opt.step()",
    ),
    part(
        "SAM",
        is_="optimizer closure",
        defs="""
class SAM(torch.optim.Optimizer):
    def __init__(self, params):
        super().__init__(params, {"lr": 0.05})
        self.base = torch.optim.SGD(self.param_groups, lr=0.05, momentum=0.9)
        self.param_groups = self.base.param_groups

    @torch.no_grad()
    def step(self, closure):
        closure = torch.enable_grad()(closure)
        loss = closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    self.state[p]["old"] = p.detach().clone()
                    p.add_(p.grad, alpha=0.05)
        closure()
        for group in self.param_groups:
            for p in group["params"]:
                if p.grad is not None:
                    p.copy_(self.state[p]["old"])
        self.base.step()
        return loss
""",
        optimizer="opt = SAM(model.parameters())",
        keeps="opt",
        shape=_CLOSURE,
    ),
    part(
        "by hand",
        is_="accumulates",
        update="""
with torch.no_grad():
    for p in $model.parameters():
        if p.grad is not None:
            p -= 0.05 * p.grad
""",
    ),
    part(
        "by hand on .data, with momenta in a list",
        is_="accumulates",
        optimizer="momenta = [torch.zeros_like(p) for p in model.parameters()]",
        keeps="momenta",
        update="""
for p, momentum in zip($model.parameters(), $momenta):
    if p.grad is not None:
        momentum.mul_(0.9).add_(p.grad.data)
        p.data.add_(momentum, alpha=-0.05)
""",
    ),
    part(
        "in hooks of gradients",
        is_="inside",
        optimizer="""
opts = {p: torch.optim.SGD([p], lr=0.05, momentum=0.9) for p in model.parameters() if p.requires_grad}

def update(p):
    opts[p].step()
    opts[p].zero_grad()

for p in opts:
    p.register_post_accumulate_grad_hook(update)
""",
    ),
    part(
        "swapped in by an index",
        is_="accumulates stepped",
        optimizer="opt = [torch.optim.SGD(model.parameters(), lr=0.05), torch.optim.AdamW(model.parameters(), lr=0.01)]; which = 0",
        keeps="opt which",
        update="$opt[$which % 2].step(); $which += 1",
    ),
)

GRADIENTS = (
    part("to none first", zero="$model.zero_grad()"),
    part("to zeros first", zero="$model.zero_grad(set_to_none=False)"),
    part(
        "to none last",
        is_="shape",
        shape="@run\n@backward\n@grads\n@update\n$model.zero_grad()",
    ),
    part(
        "accumulated",
        is_="shape accumulates",
        setup="micro = 0",
        keeps="micro",
        shape="""
@run
@backward
$micro += 1
if $micro % 3 == 0:
    @grads
    @update
    $model.zero_grad()
""",
    ),
    part("never zeroed", zero=""),
    part(
        "clipped",
        zero="$model.zero_grad()",
        grads="norm = torch.nn.utils.clip_grad_norm_($model.parameters(), 0.1)",
        is_="unscales",
    ),
    part(
        "one dropped, one scaled in place",
        zero="$model.zero_grad()",
        grads="""
for index, p in enumerate($model.parameters()):
    if p.grad is not None and index == 0:
        p.grad = None
    elif p.grad is not None:
        p.grad.mul_(0.5)
""",
    ),
)


def _schedule(name: str, make: str, step: str = "$sched.step()") -> Part:
    return part(
        name,
        setup=f"sched = torch.optim.lr_scheduler.{make}",
        keeps="sched",
        last=step,
        is_="schedule",
    )


SCHEDULES = (
    part("none"),
    _schedule("StepLR", "StepLR(opt, step_size=2, gamma=0.5)"),
    _schedule("CosineAnnealingLR", "CosineAnnealingLR(opt, T_max=4)"),
    _schedule("OneCycleLR", "OneCycleLR(opt, max_lr=0.1, total_steps=20, cycle_momentum=False)"),
    _schedule("LambdaLR", "LambdaLR(opt, lambda epoch: 0.9 ** epoch)"),
    _schedule(
        "ReduceLROnPlateau", "ReduceLROnPlateau(opt, patience=0)", "$sched.step(loss.item())"
    ),
    _schedule(
        "SequentialLR",
        "SequentialLR(opt, [torch.optim.lr_scheduler.ConstantLR(opt, total_iters=2),"
        " torch.optim.lr_scheduler.ExponentialLR(opt, 0.9)], milestones=[2])",
    ),
    part(
        "warm-up by hand",
        is_="schedule",
        setup="rounds = 0",
        keeps="rounds",
        last="""
$rounds += 1
for group in $opt.param_groups:
    group["lr"] = 0.05 * min(1.0, $rounds / 5)
""",
    ),
)

PRECISION = (
    part("plain"),
    part("autocast to bfloat16", cast='torch.autocast("cpu", torch.bfloat16)'),
    part(
        "GradScaler with float16",
        is_="scaler",
        cast='torch.autocast("cpu", torch.float16)',
        setup='scaler = torch.amp.GradScaler("cpu", init_scale=64.0, growth_interval=2)',
        keeps="scaler",
        backward="$scaler.scale(loss).backward()",
        unscale="$scaler.unscale_($opt)",
        update="$scaler.step($opt); $scaler.update()",
    ),
    part(
        "GradScaler with bfloat16",
        is_="scaler",
        cast='torch.autocast("cpu", torch.bfloat16)',
        setup='scaler = torch.amp.GradScaler("cpu", init_scale=2.0**10)',
        keeps="scaler",
        backward="$scaler.scale(loss).backward()",
        update="$scaler.step($opt); $scaler.update()",
    ),
    part(
        "GradScaler disabled",
        is_="scaler",
        setup='scaler = torch.amp.GradScaler("cpu", enabled=False)',
        keeps="scaler",
        backward="$scaler.scale(loss).backward()",
        update="$scaler.step($opt); $scaler.update()",
    ),
)
