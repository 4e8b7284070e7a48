"""A recipe as Python source: one module with a model, a function `build`, and a step.

`build()` answers with the step, the batches that are passed to it, and what it made, by name. How
the step keeps what it needs from call to call is the part `rest`'s.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping

from .part import Part

_HEAD = """\
import collections, contextlib, contextvars, copy, dataclasses, functools, io, itertools
import queue, random, threading, types, typing, weakref
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
"""

_MODEL = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        @init
        self.last = nn.Linear(8, 3)

    def forward(self, x):
        @body
        @forward
        return self.last(h)

    @method
"""

_BUILD = """
def build():
    @globals
    torch.manual_seed(@seed); random.seed(@seed); np.random.seed(@seed)
    batches = [(@batch_of, torch.randint(0, 3, (4,))) for _ in range(5)]
    model = Net()
    @wrap
    @hold
    @optimizer
    @setup
    @made
    @bind
"""

#: The step; some optimizers and orders of gradients have another `shape`.
_STEP = "@first\n@batch\n@shape\n@last\nreturn loss.detach()"
_SHAPE = "@zero\n@run\n@backward\n@grads\n@update"
_RUN = "@before\nout = @call\nloss = F.cross_entropy(out.float(), y)\n@loss"
_PLACES = (
    "first",
    "batch",
    "zero",
    "before",
    "call",
    "loss",
    "backward",
    "grads",
    "update",
    "last",
)
#: Of these the last part that has one counts; of the others, all that have.
_SINGLE = {
    "zero": "$model.zero_grad()",
    "call": "$model(x)",
    "backward": "loss.backward()",
    "update": "",
    "batch_of": "",
    "expr": "",
    "shape": _SHAPE,
}


class Source:
    """A program's text, with the number of places where it may be ended."""

    def __init__(self, number: int, recipe: Mapping[str, Part]) -> None:
        self.seed = number + 1
        self.recipe = recipe
        self.ticks = 0
        self._kills = "kills" in recipe["end"].is_
        self.text = self._rendered()

    def _lines(self, place: str) -> str:
        """What the parts say for a place."""
        found = [
            part.step[place].strip("\n") for part in self.recipe.values() if place in part.step
        ]
        if place in _SINGLE:
            return found[-1] if found else _SINGLE[place]
        return "\n".join(found)

    def _rendered(self) -> str:
        parts = self.recipe.values()
        self.names = " ".join(part.keeps for part in parts).split()
        defs = "\n".join(part.defs.strip("\n") for part in parts if part.defs)
        model = _filled(
            _MODEL,
            {
                "init": _joined(part.init for part in parts),
                "body": self._lines("body"),
                "forward": self._in_model(_joined(part.forward for part in parts)),
                "method": self._lines("method"),
            },
        )
        is_argument = "argument" in self.recipe["held"].is_
        is_passed = "passed" in self.recipe["data"].is_
        arguments = ["model"] * is_argument
        if is_passed:
            arguments += ["batch"] if "is_dict" in self.recipe["data"].step else ["x", "y"]
        rest = self.recipe["rest"].name
        top, bind = _rest(rest, self.names, ", ".join(arguments), self._step(rest))
        if "partial" in self.recipe["held"].is_:
            bind += "\nstep = functools.partial(step, model)"
        elif is_argument:
            bind += "\nmade['argument'] = model"
        build = _filled(
            _BUILD,
            {
                "globals": _scope("global", self.names) if rest == "global" else "",
                "seed": str(self.seed),
                "batch_of": self._lines("batch_of"),
                "wrap": self._lines("wrap"),
                "hold": self._lines("hold"),
                "optimizer": self._lines("optimizer"),
                "setup": _joined(part.setup for part in parts),
                "made": "made = {"
                + ", ".join(f"'{n}': {n}" for n in dict.fromkeys(["model", *self.names, "batches"]))
                + "}",
                "bind": bind + "\nreturn step, batches, made",
            },
        )
        ends = "def tick(place):\n    pass\n" if self._kills else ""
        return "\n".join(it for it in (_HEAD, ends, defs, model, top, build) if it.strip())

    def _step(self, rest: str) -> str:
        """The body of the step, `$name` and all."""
        run = _RUN
        cast = self._lines("cast")
        if cast:
            run = f"with {cast}:\n    @run"
        shapes = [
            part.step["shape"].strip("\n") for part in self.recipe.values() if "shape" in part.step
        ]
        shape = _SHAPE
        for outer in shapes:
            shape = _filled(outer, {"shape": shape}) if "@shape" in outer else outer
        places = {place: self._lines(place) for place in _PLACES}
        if "unscales" in self.recipe["gradients"].is_ and self._lines("unscale"):
            places["grads"] = self._lines("unscale") + "\n" + places["grads"]
        for place in ("first", "zero", "before", "backward", "update", "last"):
            places[place] = self._tick() + places[place]
        run = _filled(run, {"run": _RUN})
        body = _filled(_STEP, {"shape": shape})
        body = _filled(body, {"run": run})
        body = _filled(body, {"scope": "@scope"})
        body = _filled(body, places)
        body = _filled(body, {"scope": _scope(_KEYWORD.get(rest, ""), self.names)})
        return body.replace("$model", self._lines("expr")).rstrip()

    def _tick(self) -> str:
        """A place where the program may be ended."""
        if not self._kills:
            return ""
        self.ticks += 1
        return f"tick({self.ticks})\n"

    def _in_model(self, lines: str) -> str:
        """A part of the model's forward, with places before it and in its backward."""
        if not self._kills or "script" in self.recipe["wrapped"].is_:
            return lines
        before = self._tick()
        self.ticks += 1
        hook = f"if h.requires_grad:\n    h.register_hook(lambda grad: tick({self.ticks}))"
        return f"{before}{lines}\n{hook}"


_INIT = """
def __init__(self, **things):
    for name, thing in things.items():
        setattr(self, name, thing)

"""
_KEYWORD = {"closure": "nonlocal", "generator": "nonlocal", "global": "global"}


def _scope(keyword: str, names: list[str]) -> str:
    return f"{keyword} {', '.join(names)}" if keyword and names else ""


def _rest(kind: str, names: list[str], arguments: str, body: str) -> tuple[str, str]:
    """The step where it is defined at the top, else empty, and what `build` says of it."""
    things = ", ".join(f"{name}={name}" for name in names)
    slots = ", ".join(f'"{name}"' for name in names) + ("," if names else "")

    def step(prefix: str, *, name: str = "step", first: str = "", scope: str = "") -> str:
        given = ", ".join(filter(None, (first, arguments)))
        inside = _named(body, prefix)
        return f"def {name}({given}):\n" + _indented(f"{scope}\n{inside}" if scope else inside)

    def state(fields: str) -> str:
        return "class State:\n" + _indented(fields)

    as_method = _INIT
    if kind == "closure":
        return "", step("", scope=_scope("nonlocal", names))
    if kind == "global":
        return step("", scope=_scope("global", names)), "step = globals()['step']"
    if kind in ("attribute", "callable", "slots"):
        name = "__call__" if kind == "callable" else "step"
        head = (f"__slots__ = ({slots})\n\n" if kind == "slots" else "") + as_method
        return (
            "class Trainer:\n" + _indented(head + step("self.", name=name, first="self")),
            f"trainer = Trainer({things})\nstep = trainer"
            + ("" if kind == "callable" else ".step"),
        )
    if kind == "dict":
        return "", f"s = dict({things})\n" + step("s[]")
    if kind == "namespace":
        return "", f"s = types.SimpleNamespace({things})\n" + step("s.")
    if kind == "module":
        return (
            "",
            f"s = nn.Module()\ns.__dict__.update(dict({things}))\n" + step("s."),
        )
    if kind == "thread-local":
        return "", f"s = threading.local()\ns.__dict__.update(dict({things}))\n" + step("s.")
    if kind == "dataclass":
        fields = "\n".join(f"{name}: object" for name in names) or "pass"
        return "@dataclasses.dataclass\n" + state(fields), f"s = State({things})\n" + step("s.")
    if kind == "class":
        return (
            "class Trainer:\n" + _indented("@classmethod\n" + step("cls.", first="cls")),
            "".join(f"Trainer.{name} = {name}\n" for name in names) + "step = Trainer.step",
        )
    if kind == "global dict":
        return "STATE = {}\n\n" + step(
            "STATE[]"
        ), f"STATE.update(dict({things}))\nstep = globals()['step']"
    if kind == "default argument":
        inside = "def step(" + ", ".join(filter(None, (arguments, "*, s=s"))) + "):\n"
        return "", f"s = dict({things})\n" + inside + _indented(_named(body, "s[]"))
    assert kind == "generator", kind
    inside = re.sub(r"return loss\.detach\(\)$", "answer = loss.detach()", _named(body, ""))
    target = f"({arguments},)" if arguments else "_"
    loop = f"answer = None\nwhile True:\n    {target} = yield answer\n" + _indented(inside)
    return (
        f"def loop({', '.join(names)}):\n" + _indented(loop),
        f"running = loop({', '.join(names)}); next(running)\n"
        f"def step({arguments}):\n    return running.send(({arguments}{',' if arguments else ''}))",
    )


def _named(text: str, prefix: str) -> str:
    """Its `$names` as they are written behind a prefix."""
    if prefix.endswith("[]"):
        return re.sub(r"\$(\w+)", rf'{prefix[:-2]}["\1"]', text)
    return re.sub(r"\$(\w+)", rf"{prefix}\1", text)


def _filled(template: str, places: Mapping[str, str]) -> str:
    """A template with lines for its `@places`, at the places' indentation."""
    lines: list[str] = []
    for line in template.strip("\n").split("\n"):
        alone = re.fullmatch(r"(\s*)@(\w+)", line)
        if alone and alone[2] in places:
            text = places[alone[2]].strip("\n")
            lines += textwrap.indent(text, alone[1]).split("\n") if text.strip() else []
        else:
            lines.append(
                re.sub(
                    r"@(\w+)",
                    lambda it: places.get(it[1], it[0]) if it[1] in places else it[0],
                    line,
                )
            )
    return "\n".join(lines) + "\n"


def _indented(text: str) -> str:
    return textwrap.indent(text.strip("\n"), "    ") + "\n"


def _joined(lines: object) -> str:
    return "\n".join(text.strip("\n") for text in lines if text.strip())  # type: ignore[attr-defined]
