"""Under ``torch.compile``: no graph break, the same graphs, its time as a span of its own.

Inductor compiles C++, which takes five seconds.
"""

import shutil

import pytest
import torch
from torch import nn
from watched import loader, network, watched


@pytest.fixture(autouse=True)
def fresh_dynamo():
    torch._dynamo.reset()
    torch._dynamo.utils.counters.clear()
    yield
    torch._dynamo.reset()


class Graphs:
    """A backend that counts graphs and runs them as they are."""

    def __init__(self):
        self.count = 0

    def __call__(self, graph, inputs):
        self.count += 1
        return graph.forward


def train(model, call, batches=3):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for inputs, targets in loader(batches):
        optimizer.zero_grad()
        nn.functional.cross_entropy(call(inputs), targets).backward()
        optimizer.step()


def whole(model, backend):
    return torch.compile(model, fullgraph=True, backend=backend)


def in_place(model, backend):
    model.compile(fullgraph=True, backend=backend)
    return model


def in_a_function(model, backend):
    return torch.compile(lambda inputs: model(inputs), fullgraph=True, backend=backend)


def with_a_hook(model, backend):
    model.register_forward_hook(lambda *given: given[-1] * 1)
    return whole(model, backend)


def with_a_hook_inside(model, backend):
    model[0].register_forward_hook(lambda *given: given[-1] * 1)
    return in_a_function(model, backend)


@pytest.mark.parametrize("way", [whole, in_place, in_a_function, with_a_hook, with_a_hook_inside])
def test_the_graph_is_whole_and_the_same_as_without(way):
    def graphs():
        torch._dynamo.reset()
        model, backend = network(), Graphs()
        train(model, way(model, backend))
        return backend.count

    expected = graphs()
    with watched() as core:
        assert graphs() == expected
    if way is not with_a_hook:
        assert expected == 1
        assert not torch._dynamo.utils.counters["graph_break"]
    assert core.count("step") == 3


def test_compile_time_is_a_span_inside_of_what_compiles_again_when_dynamo_was_reset():
    model = network()
    with watched() as core:
        train(model, torch.compile(model, fullgraph=True, backend="aot_eager"))
        torch._dynamo.reset()
        train(model, torch.compile(model, backend="eager"))
    for phase in ("data", "forward", "backward", "optimizer"):
        assert core.count(f"step/{phase}") == 6
    assert core.count("step/forward/compile") == 2
    assert core.count("step/backward/compile") == 1, "eager computes gradients as without"
    assert len(core.paths()) == 7


def test_a_compiled_model_or_part_of_one_is_one_lap_that_says_so():
    model = network()
    compiled = torch.compile(model, fullgraph=True, backend="aot_eager")
    with watched(modules=True) as core:
        train(model, compiled)
    inside = "Sequential/inside compiled graph"
    assert core.count(f"step/forward/{inside}") == core.count(f"step/backward/{inside}") == 3
    for phase in ("forward", "backward"):
        assert core.count(f"step/{phase}/{inside}/compile") == 1
    assert not any(path.endswith(("/0", "/1", "/2")) for path in core.paths())
    torch._dynamo.reset()
    model = nn.Sequential(nn.Linear(4, 4), network())
    model[1].compile(fullgraph=True, backend="eager")
    with watched(modules=True) as core:
        train(model, model)
    assert core.count("step/forward/Sequential/0") == 3
    assert core.count("step/forward/Sequential/1/inside compiled graph") == 3
    assert "step/forward/Sequential/1/0" not in core.paths()


@pytest.mark.skipif(not shutil.which("c++"), reason="the inductor needs a C++ compiler")
def test_inductor_trains_the_same_with_and_without():
    def run():
        torch._dynamo.reset()
        model = network()
        train(model, torch.compile(model, fullgraph=True))
        return model.state_dict()

    expected = run()
    with watched() as core:
        got = run()
    assert all(torch.equal(expected[name], got[name]) for name in expected)
    assert core.count("step/forward/compile") == 1
    assert core.count("step/forward") == 3


def test_a_compiled_step_of_an_optimizer_has_the_same_graphs_and_is_still_a_step():
    def run():
        torch._dynamo.reset()
        model, backend = network(), Graphs()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        update = torch.compile(optimizer.step, backend=backend)
        for inputs, targets in loader(3):
            optimizer.zero_grad()
            nn.functional.cross_entropy(model(inputs), targets).backward()
            update()
        return backend.count, model.state_dict()

    expected, weights = run()
    with watched() as core:
        got, same = run()
    assert got == expected
    assert all(torch.equal(weights[name], same[name]) for name in weights)
    assert core.count("step") == 3


def test_exporting_works_as_without():
    model, example = network(), torch.ones(2, 4)
    with watched():
        exported = torch.export.export(model, (example,)).module()
        assert torch.equal(exported(example), model(example))


def gradient_of_a_function():
    weights = {"a": torch.ones(4, 3)}
    gradient_of = torch.func.grad(lambda weights, x: torch.tanh(x @ weights["a"]).sum())
    call = torch.compile(gradient_of, backend=Graphs(), fullgraph=True)
    return call(weights, torch.ones(2, 4))["a"]


def collective():
    def average(x):
        x = x * 2
        torch.distributed.all_reduce(x)
        return x + 1

    return torch.compile(average, backend=Graphs(), fullgraph=True)(torch.ones(3))


def functional_collective():
    from torch.distributed import _functional_collectives as functional

    def average(x):
        group = torch.distributed.group.WORLD
        return functional.wait_tensor(functional.all_reduce(x * 2, "sum", group)) + 1

    return torch.compile(average, backend=Graphs(), fullgraph=True)(torch.ones(3))


@pytest.mark.parametrize("run", [gradient_of_a_function, collective, functional_collective])
def test_functions_of_torch_s_that_are_watched_are_compiled_as_without(run):
    store = torch.distributed.HashStore()
    torch.distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    try:
        expected = run()
        torch._dynamo.reset()
        with watched():
            assert torch.equal(run(), expected)
    finally:
        torch.distributed.destroy_process_group()
