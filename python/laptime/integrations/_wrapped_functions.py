"""Functions that torch wraps in others."""

from __future__ import annotations

from .._core import Watched

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FUNCTION: Any = type(lambda: None)


def put_innermost(watched: Watched, function: Any) -> None:
    """Watches what a wrapper calls, so that the wrapper stays as it is in every respect.

    ``torch.compile`` looks at the closures of the functions that it traces, and on CPython 3.11 at
    their exact type, which watching changes where Python code calls a function directly. A
    wrapper calls by ``function(*args, **kwargs)``, which is no direct call.
    """
    inner = vars(function).get("__wrapped__")
    if type(inner) is not FUNCTION:
        watched.put(function)
        return
    while type(inner) is FUNCTION:
        function, inner = inner, vars(inner).get("__wrapped__")
    watched.put(function, inlined=False)
