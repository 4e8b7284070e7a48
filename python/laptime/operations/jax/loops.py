"""How often a `while` of a jaxpr runs, where that follows from the program alone."""

from __future__ import annotations

from .values import integer, is_literal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any


def rounds(params: Mapping[str, Any], known: Sequence[int | None]) -> int | None:
    """How often a `while` runs: known for a counter that goes by a constant to a known bound."""
    checks, bodies = params["cond_nconsts"], params["body_nconsts"]
    carried = known[checks + bodies :]
    condition, body = params["cond_jaxpr"].jaxpr, params["body_jaxpr"].jaxpr
    test = next((e for e in condition.eqns if condition.outvars[0] in e.outvars), None)
    if test is None or test.primitive.name not in ("lt", "le", "gt", "ge"):
        return None
    values = dict(zip(condition.invars, [*known[:checks], *carried]))
    places = {variable: at for at, variable in enumerate(condition.invars[checks:])}

    def step(variable: Any) -> int | None:
        """By how much a round changes what is carried; 0 where it stays as it is."""
        if is_literal(variable) or variable not in places:
            return 0
        before = body.invars[bodies + places[variable]]
        after = _origin(body, body.outvars[places[variable]])
        if after is before:
            return 0
        made = next((e for e in body.eqns if after in e.outvars), None)
        if made is None or made.primitive.name not in ("add", "sub"):
            return None
        left, right = (_origin(body, side) for side in made.invars)
        if made.primitive.name == "add" and is_literal(left):
            left, right = right, left
        if left is not before or not is_literal(right):
            return None
        by = integer(right.val)
        return -by if by is not None and made.primitive.name == "sub" else by

    left, right = (_origin(condition, side) for side in test.invars)
    start, bound = (
        integer(side.val) if is_literal(side) else values.get(side) for side in (left, right)
    )
    steps = step(left), step(right)
    if start is None or bound is None or None in steps:
        return None
    # `left < right` holds while their distance is above zero, and shrinks by `closing` a round.
    sign = 1 if test.primitive.name in ("lt", "le") else -1
    distance = sign * (bound - start) + (1 if test.primitive.name in ("le", "ge") else 0)
    closing = sign * ((steps[0] or 0) - (steps[1] or 0))
    if distance <= 0:
        return 0
    return -(-distance // closing) if closing > 0 else None


def _origin(jaxpr: Any, variable: Any) -> Any:
    """What a variable is before conversions between types of integers."""
    for equation in reversed(jaxpr.eqns):
        if equation.primitive.name == "convert_element_type" and variable is equation.outvars[0]:
            operand = equation.invars[0]
            if "int" in str(operand.aval.dtype) and "int" in str(variable.aval.dtype):
                variable = operand
    return variable
