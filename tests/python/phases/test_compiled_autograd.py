"""Compiled autograd takes in whatever stands on the graph: nothing of Laptime's does then."""

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


def same(call):
    expected, bare = gradients(call)
    assert bare, "nothing was compiled"
    with watched(modules=True) as core:
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


def test_what_was_tagged_before_compiled_autograd_is_on_is_left_alone_too():
    def only_backward(model, compiled):
        model(torch.ones(2, 3)).sum().backward()
        loss = model(torch.ones(2, 3)).sum()
        with compiled:
            loss.backward()

    core = same(only_backward)
    assert is_split(core), "the first backward was not compiled"


def test_gradients_that_are_asked_for_are_compiled_without_tags():
    def asked(model, compiled):
        loss = model(torch.ones(2, 3)).sum()
        with compiled:
            found = torch.autograd.grad(loss, model.parameters())
        for parameter, gradient in zip(model.parameters(), found, strict=True):
            parameter.grad = gradient

    same(asked)


def test_graphs_of_other_threads_are_compiled_without_tags():
    from threading import Thread

    def elsewhere(model, compiled):
        made = []
        thread = Thread(target=lambda: made.append(model(torch.ones(2, 3)).sum()))
        thread.start()
        thread.join()
        with compiled:
            made.pop().backward()

    same(elsewhere)


def test_a_backward_that_is_not_compiled_stays_split():
    with watched(modules=True) as core:
        network()(torch.ones(2, 3)).sum().backward()
    assert is_split(core)
