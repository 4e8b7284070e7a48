"""Laps inside `torch.compile`: one graph, whichever is imported first."""

from __future__ import annotations

import importlib.util
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None, reason="torch is not installed"
)

PROGRAM = """
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)

    @lt.lap
    def helper(self, x):
        return self.linear(x) + 1

    def forward(self, x):
        with lt.lap("compiled"):
            y = self.helper(x)
        with lt.lap("with a name") as lap:
            y = y * 2
            lap.flop = 8 * y.shape[0]
            lap.bytes = lap.flop // 2
        assert lap.seconds is None or not torch.compiler.is_compiling()
        return function(y)

@lt.lap("function")
def function(x):
    return x.sin()

assert "torch._dynamo" not in sys.modules, "laptime imported the compiler"
model = Model()
x = torch.randn(2, 4)
expected = model(x)
compiled = torch.compile(model, fullgraph=True, backend="eager")
assert torch.equal(compiled(x), expected)
assert torch.equal(torch.compile(function, fullgraph=True, backend="eager")(x), x.sin())
explained = torch._dynamo.explain(model)(x)
assert explained.graph_break_count == 0, explained
assert lt.report()["compiled"].count == 1
print("ok")
"""


@pytest.mark.parametrize("first", ["torch", "laptime as lt"])
def test_a_lap_costs_no_graph_break(run: Any, first: str) -> None:
    head = f"import {first}\nimport sys, torch, laptime as lt\n"
    assert run(head + PROGRAM).stdout == "ok\n"
