"""A batch given as one dictionary to a model that takes its entries by name."""

from __future__ import annotations

import inspect
from collections.abc import Mapping

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any


def way_out(model: Any, inputs: Sequence[Any], kwargs: Mapping[str, Any]) -> str | None:
    """What to write instead, where the entries of the only input have names of the model's."""
    if len(inputs) != 1 or not isinstance(inputs[0], Mapping) or kwargs:
        return None
    try:
        takes = inspect.signature(getattr(model, "forward", model)).parameters
    except (TypeError, ValueError):
        return None
    names = [str(name) for name in inputs[0]]
    if not names or any(name not in takes for name in names):
        return None
    return (
        f"{type(model).__name__} takes {', '.join(names)} by name, and was given one dictionary: "
        "write lt.count(model, kwargs=batch)"
    )
