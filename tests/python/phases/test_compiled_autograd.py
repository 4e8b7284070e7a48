"""Compiled autograd takes in whatever stands on the graph: nothing of Laptime's does then."""

from threading import Thread

import pytest
import torch
from torch import nn
from watched import watched

compiled_autograd = pytest.importorskip("torch._dynamo.compiled_autograd")

SAID = "compiled autograd was on: backward is not split by module from there on"


def network():
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(3, 3), nn.ReLU(), nn.Linear(3, 3))


def gradients(call):
    """Gradients, and how many nodes the graphs have that are compiled of the backward."""
    torch._dynamo.reset()
    sizes = []

    def backend(graph, _):
        sizes.append(len(graph.graph.nodes))
        return graph.forward

    model = network()
    call(model, compiled_autograd._enable(torch.compile(backend=backend, fullgraph=True)))
    return [parameter.grad for parameter in model.parameters()], sizes


def same(call, ends_well=True):
    expected, bare = gradients(call)
    assert bare, "nothing was compiled"
    with watched(modules=True, ends_well=ends_well) as core:
        found, sizes = gradients(call)
    assert sizes == bare
    assert all(map(torch.equal, found, expected))
    return core


def is_split(core):
    return any("backward/Sequential" in path for path in core.paths())


def test_a_backward_that_is_compiled_whole_has_nothing_of_laptimes_in_its_graph():
    def steps(model, compiled):
        with compiled:
            for _ in range(3):
                model(torch.ones(2, 3)).sum().backward()

    core = same(steps)
    assert not is_split(core)
    assert sum(SAID in warning for warning in core.warnings) == 1
    assert any("forward/Sequential/0" in path for path in core.paths())


def test_what_was_tagged_before_on_any_thread_or_is_asked_for_is_compiled_without_tags():
    def mixed(model, compiled):
        loss = [model(torch.ones(2, 3)).sum() for _ in range(3)]
        thread = Thread(target=lambda: loss.append(model(torch.ones(2, 3)).sum()))
        thread.start()
        thread.join()
        loss[0].backward()
        with compiled:
            loss[1].backward()
            asked = torch.autograd.grad(loss[2], model.parameters())
            loss[3].backward()
        for parameter, gradient in zip(model.parameters(), asked, strict=True):
            parameter.grad += gradient

    assert is_split(same(mixed, ends_well=False)), "the first backward was not compiled"


def test_a_backward_that_is_not_compiled_stays_split():
    with watched(modules=True) as core:
        network()(torch.ones(2, 3)).sum().backward()
    assert is_split(core)
