"""Walks a jaxpr and hands each primitive's call to a feed.

A jaxpr holds the program as JAX traced it: loops with their length, both branches of a `cond`,
what a checkpoint runs again. Calls inside a loop are repeated by its length; a loop whose number
of rounds depends on data repeats them an unknown number of times. Nothing is computed here:
shapes and parameters go to the feed, whose formulas know the primitives.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from ..._core import Feed
from .loops import rounds
from .parameters import flat
from .values import Values, integer, shape_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

# Primitives that only hold a program, and which of their parameters it is.
CALLS = {
    "jit": "jaxpr",
    "pjit": "jaxpr",
    "call": "call_jaxpr",
    "core_call": "call_jaxpr",
    "closed_call": "call_jaxpr",
    "composite": "jaxpr",
    "custom_jvp_call": "call_jaxpr",
    "custom_lin": "call_jaxpr",
    "custom_partitioning": "call",
    "custom_vjp_call": "call_jaxpr",
    "custom_vjp_call_jaxpr": "fun_jaxpr",
    "custom_vmap_call": "call",
    "checkpoint": "jaxpr",
    "remat": "jaxpr",
    "remat2": "jaxpr",
    "remat_opt": "fwd_jaxpr",
    "shard_map": "jaxpr",
    "xla_pmap": "call_jaxpr",
}
REMATERIALISED = ("checkpoint", "remat", "remat2")
# JAX's own name for the part of a checkpoint that runs again.
RECOMPUTE_SCOPE = "rematted_computation"
# Results that look at their operand in another way.
VIEWS = (
    "bitcast_convert_type",
    "broadcast_in_dim",
    "expand_dims",
    "reshape",
    "slice",
    "split",
    "squeeze",
    "stop_gradient",
    "transpose",
)
COLLECTIVE_AXES = ("axes", "axis_name")


@dataclass(frozen=True)
class Nesting:
    """Where a program stands: in which modules, what for, how often, on how many devices."""

    scopes: tuple[str, ...] = ()
    phase: str = "forward"
    repeat: int | None = 1
    axes: Mapping[Any, int] = field(default_factory=dict[object, int])

    def times(self, count: int | None) -> Nesting:
        """This nesting in a loop of so many rounds."""
        if count == 0 or self.repeat == 0:
            return replace(self, repeat=0)
        if count is None or self.repeat is None:
            return replace(self, repeat=None)
        return replace(self, repeat=self.repeat * count)

    def of(self, equation: Any) -> Nesting:
        """The nesting of an equation in a program that stands here."""
        scopes: list[str] = []
        phase = self.phase
        for entry in equation.source_info.name_stack.stack:
            name = str(entry.name)
            if type(entry).__name__ == "Transform":
                if name == "transpose" and phase == "forward":
                    phase = "backward"
            elif name == RECOMPUTE_SCOPE:
                phase = "recompute"
            elif "->" not in name:  # `einsum` gives its formula as a scope.
                scopes.append(name.replace(".", "_"))
        half = len(scopes) // 2
        if equation.primitive.name in REMATERIALISED and scopes[:half] == scopes[half:]:
            scopes = scopes[:half]  # A transposed checkpoint tells where it stands twice.
        return replace(self, scopes=(*self.scopes, *scopes), phase=phase)

    def sharded(self, sizes: Mapping[Any, int]) -> Nesting:
        """This nesting on every device along these axes."""
        devices = 1
        for size in sizes.values():
            devices *= size
        return replace(self.times(devices), axes={**self.axes, **sizes})


class Walk:
    """Hands the calls of programs to a feed."""

    def __init__(self, feed: Feed) -> None:
        self.feed = feed
        self.has_loops = False
        self._operators: dict[tuple[str, tuple[str, ...]], int] = {}
        self._modules: dict[tuple[str, ...], int] = {(): 0}

    def program(self, closed: Any, nesting: Nesting, known: Sequence[int | None] = ()) -> None:
        """Walks a closed jaxpr; `known` are its inputs, where they are known integers."""
        jaxpr = getattr(closed, "jaxpr", closed)
        values = Values()
        for variable, constant in zip(jaxpr.constvars, getattr(closed, "consts", ())):
            values.know(variable, integer(constant))
        for variable, value in zip(jaxpr.invars, known):
            values.know(variable, value)
        for equation in jaxpr.eqns:
            self._equation(equation, nesting.of(equation), values)

    def _equation(self, equation: Any, nesting: Nesting, values: Values) -> None:
        name = equation.primitive.name
        params = equation.params
        known = values.integers(equation.invars)
        if name == "scan":
            self.has_loops = True
            self.program(params["jaxpr"], nesting.times(params["length"]))
        elif name == "while":
            self.has_loops = True
            turns = rounds(params, known)
            checks = None if turns is None else turns + 1
            self.program(params["cond_jaxpr"], nesting.times(checks))
            self.program(params["body_jaxpr"], nesting.times(turns))
        elif name == "cond":
            self._branches(equation, nesting, values)
        elif name == "custom_linear_solve":
            self.program(params["jaxprs"].solve, nesting)
        elif CALLS.get(name) in params:
            self.program(params[CALLS[name]], _inside(name, params, nesting), known)
        else:
            self._call(equation, nesting, values)
        values.follow(equation)

    def _branches(self, equation: Any, nesting: Nesting, values: Values) -> None:
        """Walks the branch that runs: the known one, or any where all cost the same."""
        branches = equation.params["branches"]
        index, *known = values.integers(equation.invars)
        if index is None and len(branches) > 1:
            costs = [self._cost(branch, nesting) for branch in branches]
            if costs[0] is None or any(cost != costs[0] for cost in costs):
                self._call(equation, nesting, values)
                return
        chosen = min(max(index or 0, 0), len(branches) - 1)
        self.program(branches[chosen], nesting, known)

    def _cost(self, branch: Any, nesting: Nesting) -> tuple[int, ...] | None:
        """What one run of a branch costs, by column; None where something isn't counted."""
        feed = Feed()
        Walk(feed).program(branch, replace(nesting, repeat=1))
        counts = feed.finish()
        if counts.uncounted:
            return None
        return (
            counts.mac,
            counts.other_flop,
            counts.integer_op,
            counts.transcendental,
            counts.compare,
            counts.bytes_read,
            counts.bytes_written,
            counts.communication_bytes,
        )

    def _call(self, equation: Any, nesting: Nesting, values: Values) -> None:
        name = equation.primitive.name
        attributes = {key: value for key, value in flat(equation.params) if key != "inputs"}
        ranks = _ranks(equation.params, nesting.axes)
        if ranks is not None:
            attributes["ranks"] = ranks
        if name == "conv_general_dilated":
            # The transpose rule turns the kernel around for the gradient of what it slid over,
            # and not for the kernel's own.
            if nesting.phase == "backward":
                attributes["gradient"] = (
                    "input" if equation.invars[1] in values.turned else "kernel"
                )
        signature = (name, ("inputs", *attributes))
        operator = self._operators.get(signature)
        if operator is None:
            operator = self.feed.operator(f"jax::{name}", signature[1], is_view=name in VIEWS)
            self._operators[signature] = operator
        inputs = [values.shape(variable) for variable in equation.invars]
        outputs = [shape_of(variable.aval) for variable in equation.outvars]
        self.feed.add(
            operator,
            [inputs, *attributes.values()],
            [output for output in outputs if output is not None],
            module=self._module(nesting.scopes),
            phase=nesting.phase,
            repeat=nesting.repeat,
        )

    def _module(self, scopes: tuple[str, ...]) -> int:
        module = self._modules.get(scopes)
        if module is None:
            module = self._modules[scopes] = self.feed.module(".".join(scopes))
        return module


def _inside(name: str, params: Mapping[str, Any], nesting: Nesting) -> Nesting:
    """The nesting of the program that a call holds."""
    if name == "shard_map":
        mesh = params["mesh"].shape
        manual = params.get("newly_manual_axes") or params.get("manual_axes") or mesh
        return nesting.sharded({axis: int(mesh[axis]) for axis in manual})
    if name == "xla_pmap":
        return nesting.sharded({params["axis_name"]: int(params["axis_size"])})
    return nesting


def _ranks(params: Mapping[str, Any], axes: Mapping[Any, int]) -> int | None:
    """How many devices a collective is among; None where the call isn't one."""
    over = next((params[key] for key in COLLECTIVE_AXES if key in params), None)
    names = over if isinstance(over, (tuple, list)) else (over,)
    if not names or any(name not in axes for name in names if not isinstance(name, int)):
        return None
    if all(isinstance(name, int) for name in names):
        return None
    groups = params.get("axis_index_groups")
    if groups:
        return max(len(group) for group in groups)
    ranks = 1
    for name in names:
        ranks *= axes.get(name, 1)
    return ranks
