"""Under ``torch.compile``: no graph break, the same graphs, its time as a span of its own."""

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


def graphs(compiled_call):
    model, backend = network(), Graphs()
    train(model, compiled_call(model, backend))
    return backend.count


WAYS = {
    "torch.compile(model)": lambda m, b: torch.compile(m, fullgraph=True, backend=b),
    "model.compile()": lambda m, b: (m.compile(fullgraph=True, backend=b), m)[1],
    "a compiled function": lambda m, b: torch.compile(lambda x: m(x), fullgraph=True, backend=b),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_graph_is_whole_and_the_same_as_without(way):
    expected = graphs(WAYS[way])
    torch._dynamo.reset()
    with watched() as core:
        assert graphs(WAYS[way]) == expected == 1
    assert not torch._dynamo.utils.counters["graph_break"]
    assert core.count("step") == 3


@pytest.mark.parametrize("hook", ["inner", "outer"])
def test_modules_with_hooks_compile_as_without(hook):
    def run():
        model, backend = network(), Graphs()
        (model[0] if hook == "inner" else model).register_forward_hook(lambda *a: a[-1] * 1)
        train(model, torch.compile(model, fullgraph=True, backend=backend))
        return backend.count

    expected = run()
    torch._dynamo.reset()
    with watched():
        assert run() == expected


def test_compile_time_is_a_span_inside_the_forward_that_compiles():
    model = network()
    with watched() as core:
        train(model, torch.compile(model, backend="aot_eager"))
    assert core.count("step/forward/compile") == 1
    assert core.total("step/forward/compile") < core.total("step/forward")
    assert core.count("step/forward") == 3


def test_compile_time_is_still_seen_after_dynamo_was_reset():
    model = network()
    with watched() as core:
        train(model, torch.compile(model, backend="eager"))
        torch._dynamo.reset()
        train(model, torch.compile(model, backend="eager"))
    assert core.count("step/forward/compile") == 2


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


def test_tracing_scripting_and_exporting_work_as_without():
    model = network()
    example = torch.ones(2, 4)
    with watched():
        assert torch.fx.symbolic_trace(model)(example).shape == (2, 3)
        assert torch.export.export(model, (example,)).module()(example).shape == (2, 3)
        assert torch.jit.trace(model, example)(example).shape == (2, 3)
        assert torch.jit.script(model)(example).shape == (2, 3)


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
