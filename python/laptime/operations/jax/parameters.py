"""Parameters of a primitive as plain values that a formula can look at."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from enum import Enum

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any


def flat(params: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Parameters that a formula can look at, nested ones by dotted names."""
    for name, value in params.items():
        name = prefix + name
        if hasattr(value, "_asdict"):
            yield from flat(value._asdict(), f"{name}.")
        elif is_dataclass(value) and not isinstance(value, type):
            yield from flat({it.name: getattr(value, it.name) for it in fields(value)}, f"{name}.")
        elif isinstance(value, (tuple, list)) and any(isinstance(v, (tuple, list)) for v in value):
            yield from flat({str(at): v for at, v in enumerate(value)}, f"{name}.")
        elif isinstance(value, (tuple, list)):
            items = [_plain(v) for v in value]
            if all(type(item) is int for item in items) or all(type(i) is str for i in items):
                yield name, items
        else:
            plain = _plain(value)
            if plain is not None:
                yield name, plain


def _plain(value: Any) -> bool | int | float | str | None:
    """A parameter as a plain value; None for what no formula looks at."""
    if isinstance(value, Enum):
        return value.name
    if isinstance(value, (bool, int, float, str)):
        return value
    if hasattr(value, "__index__") and getattr(value, "shape", None) == ():
        return int(value)
    if type(value).__name__.startswith(("dtype", "Float", "Int")) or hasattr(value, "itemsize"):
        return str(value)
    if isinstance(getattr(value, "name", None), str) and not hasattr(value, "eqns"):
        return value.name
    return None
