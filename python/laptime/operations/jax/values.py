"""What is known of a jaxpr's variables: shapes, strides, and some integers."""

from __future__ import annotations

from ..._core import Shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


class Values:
    """What is known of a program's variables beside their shapes."""

    def __init__(self) -> None:
        self._integers: dict[Any, int] = {}
        self._strides: dict[Any, list[int]] = {}
        self.turned: set[Any] = set()

    def know(self, variable: Any, value: int | None) -> None:
        if value is not None:
            self._integers[variable] = value

    def integers(self, variables: Sequence[Any]) -> list[int | None]:
        """The values of a call's operands, where they are known integers."""
        return [
            integer(variable.val) if is_literal(variable) else self._integers.get(variable)
            for variable in variables
        ]

    def shape(self, variable: Any) -> Shape | None:
        """An operand's shape; None for a number written into the program."""
        if is_literal(variable):
            return None
        return shape_of(variable.aval, self._strides.get(variable))

    def follow(self, equation: Any) -> None:
        """Notes what an equation makes known of its result."""
        name = equation.primitive.name
        if name == "convert_element_type":
            self.know(equation.outvars[0], self.integers(equation.invars)[0])
        elif name == "clamp":  # What `switch` does with its index.
            low, value, high = self.integers(equation.invars)
            if low is not None and value is not None and high is not None:
                self.know(equation.outvars[0], min(max(value, low), high))
        elif name == "platform_index":
            self.know(equation.outvars[0], _platform(equation.params["platforms"]))
        elif name == "rev":
            self.turned.add(equation.outvars[0])
        elif name == "broadcast_in_dim":
            self._strides[equation.outvars[0]] = _broadcast_strides(equation)


def _platform(choices: Sequence[Sequence[str] | None]) -> int | None:
    """Which of some choices of platforms is the one that programs run on; None is any other."""
    import jax

    backend = jax.default_backend()
    names = {backend, *(("cuda", "rocm") if backend == "gpu" else ())}
    for at, platforms in enumerate(choices):
        if platforms is None or not names.isdisjoint(platforms):
            return at
    return None


def _broadcast_strides(equation: Any) -> list[int]:
    """Strides of a broadcast: 0 along what is repeated, so that reading it touches the operand."""
    operand = equation.invars[0].aval.shape
    shape = equation.outvars[0].aval.shape
    strides = [0 if size != 1 else 1 for size in shape]
    stride = 1
    for size, dimension in reversed(list(zip(operand, equation.params["broadcast_dimensions"]))):
        if size == shape[dimension]:
            strides[dimension] = stride
        stride *= int(size)
    return strides


def is_literal(variable: Any) -> bool:
    return hasattr(variable, "val")


def integer(value: Any) -> int | None:
    """A known scalar integer or truth value."""
    if getattr(value, "shape", ()) != () or not hasattr(value, "__index__"):
        return None
    if getattr(getattr(value, "dtype", None), "kind", "i") not in "iub":
        return None
    try:
        return int(value)
    except Exception:  # A tracer, or a deleted array: its value is not known.
        return None


def shape_of(aval: Any, strides: list[int] | None = None) -> Shape | None:
    """The shape of an abstract value; None for a token."""
    aval = getattr(aval, "inner_aval", aval)
    if not hasattr(aval, "shape") or not hasattr(aval, "dtype"):
        return None
    dtype = str(aval.dtype)
    if "float0" in dtype:  # The gradient of an integer: it has no elements.
        return None
    return Shape([int(size) for size in aval.shape], dtype, strides=strides)
