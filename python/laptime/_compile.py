"""Makes `lt.lap` cost no graph break under `torch.compile`.

A builtin that the compiler does not know breaks the graph. It is told of a stand-in that it
can trace: inside a compiled graph a lap measures nothing, since the graph runs as one piece, and
what it is told there is forgotten.
"""

from __future__ import annotations

from ._core import lap
from ._post_import import when_imported

TYPE_CHECKING = False
if TYPE_CHECKING:
    from contextlib import nullcontext
    from types import ModuleType
    from typing import Any


class InGraph:
    """A lap inside a compiled graph."""

    seconds: float | None = None
    duration_ns: int | None = None

    def __init__(self, name: str, flop: float | None, bytes: float | None) -> None:
        self.name = name
        self.flop = flop
        self.bytes = bytes


def register() -> None:
    """Registers the stand-in as soon as the compiler is there; imports nothing by itself."""
    when_imported("torch._dynamo", _register)


def _register(_dynamo: ModuleType) -> None:
    from contextlib import nullcontext

    from torch.compiler import substitute_in_graph

    def lap_in_graph(
        name: str, *, flop: float | None = None, bytes: float | None = None
    ) -> nullcontext[InGraph]:
        return nullcontext(InGraph(name, flop, bytes))

    original: Any = lap
    stand_in: Any = lap_in_graph
    substitute_in_graph(original, skip_signature_check=True)(stand_in)
