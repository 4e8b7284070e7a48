"""What a program computes once and keeps, or lets grow."""

from __future__ import annotations

from ..part import part

CACHES = (
    part("none", is_="scriptable"),
    part(
        "attribute made at the first call",
        init="self.table = None",
        forward="""
if self.table is None:
    self.table = torch.cos(torch.arange(8.0))
h = h * self.table
""",
    ),
    part(
        "attribute added at the first call",
        forward="""
if not hasattr(self, "scale"):
    self.scale, self.shape = h.detach().float().abs().mean(), tuple(h.shape)
h = h / self.scale
""",
    ),
    part(
        "dict by shape",
        init="self.tables = {}",
        forward="""
key = (h.shape[0], str(h.dtype))
if key not in self.tables:
    self.tables[key] = torch.sin(torch.arange(h.shape[0] * 8.0)).view(-1, 8)
h = h + self.tables[key]
""",
    ),
    part(
        "list of tensors",
        init="self.past = []",
        forward="""
h = h + sum(self.past[-2:], torch.zeros(()))
self.past.append(h.detach())
""",
    ),
    part(
        "hidden state carried over",
        init="self.state = None",
        forward="""
if self.state is not None:
    h = h + 0.1 * self.state
self.state = h.detach()
""",
    ),
    part(
        "cached function",
        defs="""
@functools.lru_cache(maxsize=8)
def positions(length):
    return torch.linspace(0, 1, length)
""",
        forward="h = h + positions(8)",
    ),
    part(
        "cached object that grows",
        defs="""
@functools.cache
def shared(name):
    return {"name": name, "seen": 0}
""",
        forward="""
shared("steps")["seen"] += 1
shared(f"steps of {h.shape[0] + shared('steps')['seen'] // 2}")
h = h + 0.01 * shared("steps")["seen"]
""",
    ),
    part(
        "context variable",
        defs="CALLS = contextvars.ContextVar('CALLS')",
        forward="""
CALLS.set(CALLS.get(0) + 1)
h = h + 0.01 * CALLS.get()
""",
    ),
    part(
        "attribute of a class",
        defs="""
class Tables:
    known = {}
    last = None
""",
        forward="""
if 8 not in Tables.known:
    Tables.known[8] = torch.ones(8) * 0.5
Tables.last = h.detach()
h = h * Tables.known[8]
""",
    ),
    part(
        "global dict",
        defs="MASKS = {}",
        forward="""
MASKS.setdefault(len(MASKS) if len(MASKS) < 3 else 0, torch.full((8,), 0.5))
h = h * MASKS[0]
""",
    ),
    part(
        "ring buffer in the step",
        setup="ring, at = torch.zeros(4, 3), 0",
        keeps="ring at",
        loss="loss = loss + 0.1 * ((out.float().mean(0) - $ring.mean(0)) ** 2).sum()",
        last="$ring[$at % 4] = out.detach().float().mean(0); $at += 1",
    ),
    part(
        "replay memory",
        setup="memory, hand = [], random.Random(5)",
        keeps="memory hand",
        first="",
        loss="""
if $memory:
    old_x, old_y = $hand.choice($memory)
    loss = loss + 0.1 * F.cross_entropy($model(old_x).float(), old_y)
""",
        last="$memory.append((x.clone(), y.clone()))",
    ),
    part(
        "DynamicCache",
        is_="past",
        defs="from transformers import DynamicCache",
        setup="past = DynamicCache()",
        keeps="past",
        last="$past.update(out.detach().float().view(1, 1, -1, 3), out.detach().float().view(1, 1, -1, 3), 0)",
    ),
    part(
        "DynamicCache of a transformer",
        is_="needs_transformer",
        defs="from transformers import DynamicCache",
        init="self.past = DynamicCache(config=CONFIG)",
        forward="""
with torch.no_grad():
    self.body(x[:, :1], past_key_values=self.past, use_cache=True)
""",
        rare=True,
    ),
)
