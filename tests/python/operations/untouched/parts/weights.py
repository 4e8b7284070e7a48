"""Where a program keeps its model, and where everything else that lives from step to step."""

from __future__ import annotations

from ..part import part

#: `expr` is the model, as a step writes it.
HELD = (
    part("variable", hold="net = model", keeps="net", expr="$net"),
    part("list", hold="box = [model]", keeps="box", expr="$box[0]"),
    part("dict", hold='box = {"net": {"model": model}}', keeps="box", expr='$box["net"]["model"]'),
    part(
        "tuple in a dataclass",
        defs="""
@dataclasses.dataclass
class Box:
    parts: tuple
    name: str = "box"
""",
        hold="box = Box((model, 1))",
        keeps="box",
        expr="$box.parts[0]",
    ),
    part(
        "NamedTuple",
        defs="""
class Box(typing.NamedTuple):
    model: nn.Module
    name: str
""",
        hold='box = Box(model, "box")',
        keeps="box",
        expr="$box.model",
    ),
    part(
        "list of a module",
        defs="""
class Hidden(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.h = [model]

    def forward(self, x):
        return self.h[0](x)
""",
        hold="box = Hidden(model)",
        keeps="box",
        expr="$box.h[0]",
    ),
    part(
        "object",
        defs="""
class Box:
    def __init__(self, model):
        self.model = model
""",
        hold="box = Box(model)",
        keeps="box",
        expr="$box.model",
    ),
    part(
        "object in an object",
        defs="""
class Box:
    def __init__(self, inner):
        self.inner = inner
""",
        hold="box = Box(types.SimpleNamespace(parts=[Box(model)]))",
        keeps="box",
        expr="$box.inner.parts[0].inner",
    ),
    part(
        "slots",
        defs="""
class Box:
    __slots__ = ("model",)
""",
        hold="box = Box(); box.model = model",
        keeps="box",
        expr="$box.model",
    ),
    part(
        "class attribute",
        defs="""
class Box:
    model = None
""",
        hold="Box.model = model",
        expr="Box.model",
    ),
    part(
        "closure of a closure",
        defs="""
def outer(model):
    def middle():
        def inner():
            return model
        return inner
    return middle()
""",
        hold="box = outer(model)",
        keeps="box",
        expr="$box()",
    ),
    part(
        "property",
        defs="""
class Box:
    def __init__(self, model):
        self._kept = (model,)

    @property
    def model(self):
        return self._kept[0]
""",
        hold="box = Box(model)",
        keeps="box",
        expr="$box.model",
    ),
    part("weak reference", hold="box = weakref.ref(model)", keeps="box", expr="$box()"),
    part("argument", expr="model", is_="argument"),
    part("argument of a partial", expr="model", is_="argument partial"),
    part(
        "function's attribute",
        defs="""
def box():
    return box.model
""",
        hold="box.model = model",
        expr="box()",
    ),
    part(
        "weak dict of a class",
        defs="""
class Box:
    models = weakref.WeakKeyDictionary()

    @property
    def model(self):
        return Box.models[self]
""",
        hold="box = Box(); Box.models[box] = model",
        keeps="box",
        expr="$box.model",
    ),
    part(
        "cached function",
        defs="""
@functools.lru_cache(maxsize=None)
def the_model():
    return MADE.pop()

MADE = []
""",
        hold="MADE.append(model); the_model()",
        expr="the_model()",
    ),
    part(
        "list of modules",
        hold="box = nn.ModuleList([model])",
        keeps="box",
        expr="$box[0]",
        is_="module",
    ),
    part(
        "context variable",
        defs='MODEL = contextvars.ContextVar("model")',
        hold="MODEL.set(model)",
        expr="MODEL.get()",
        is_="thread_local",
    ),
)

#: `source` knows how each writes a name and a step.
REST = (
    part("closure"),
    part("global"),
    part("attribute"),
    part("callable"),
    part("slots"),
    part("dict"),
    part("namespace"),
    part("dataclass"),
    part("class"),
    part("global dict"),
    part("default argument"),
    part("module"),
    part("thread-local", is_="thread_local"),
    part("generator", rare=True),
)
