"""Time per module: names, nesting, backward, and models left as they are."""

import ctypes
import os
import subprocess
import sys
import time
from collections import Counter

import pytest
import torch
from torch import nn
from torch.utils.checkpoint import checkpoint
from watched import loader, watched


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.act = nn.ReLU(inplace=True)

    def forward(self, inputs):
        return self.act(self.linear(inputs)) + 1


class Net(nn.Module):
    """Blocks in a list that is not called, a sequence that is."""

    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([Block(), Block()])
        self.head = nn.Sequential(nn.Linear(4, 4), nn.Identity(), nn.Linear(4, 3))

    def forward(self, inputs):
        for block in self.blocks:
            inputs = block(inputs)
        return self.head(inputs * 2)


def train(model, batches=3, call=None):
    call = model if call is None else call
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for inputs, targets in loader(batches):
        optimizer.zero_grad()
        loss = nn.functional.cross_entropy(call(inputs), targets)
        loss.backward()
        optimizer.step()
    return loss.item()


def seeded(make, *args):
    torch.manual_seed(5)
    return make(*args)


def same(make, run=train):
    without = seeded(make)
    expected = run(without)
    within = seeded(make)
    with watched(modules=True) as core:
        assert run(within) == expected
    for a, b in zip(without.state_dict().values(), within.state_dict().values(), strict=True):
        assert torch.equal(a, b)
    return core


def below(core, phase, root="Net"):
    """Counts by path below an outermost module's row."""
    prefix = f"step/{phase}/{root}/"
    return {
        path[len(prefix) :]: core.count(path) for path in core.paths() if path.startswith(prefix)
    }


NAMES = {
    "blocks.0": 3,
    "blocks.0/act": 3,
    "blocks.0/linear": 3,
    "blocks.1": 3,
    "blocks.1/act": 3,
    "blocks.1/linear": 3,
    "head": 3,
    "head/0": 3,
    "head/1": 3,
    "head/2": 3,
}


def test_both_directions_are_split_by_the_modules_that_are_called():
    core = same(Net)
    assert below(core, "forward") == NAMES
    assert core.count("step/forward") == 3
    expected = dict(NAMES)
    del expected["head/1"]  # Identity makes no node
    found = below(core, "backward")
    assert found.keys() == expected.keys()
    assert found["head/2"] == found["head/0"] == found["blocks.1/linear"] == 3
    # A block's own addition runs before its children's backward, inside the same span.
    assert found["blocks.0"] == found["blocks.1"] == found["head"] == 3


class Slow(torch.autograd.Function):
    """Nothing forward, work backward, whose time is noted."""

    took_ns = 0

    @staticmethod
    def forward(ctx, value):
        return value.clone()

    @staticmethod
    def backward(ctx, gradient):
        begun = time.perf_counter_ns()
        for _ in range(4):
            torch.ones(200, 200) @ torch.ones(200, 200)
        Slow.took_ns += time.perf_counter_ns() - begun
        return gradient


class Slowly(nn.Module):
    def forward(self, inputs):
        return Slow.apply(inputs)


class Between(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.b = nn.Linear(4, 4), nn.Sequential(nn.Linear(4, 3))

    def forward(self, inputs):
        return self.b(Slow.apply(self.a(inputs)))


def slow(make, run=train):
    """What was recorded, and how long the slow function took meanwhile."""
    Slow.took_ns = 0
    with watched(modules=True) as core:
        run(seeded(make))
    return core, Slow.took_ns


def test_the_backward_of_a_module_takes_its_time():
    core, took_ns = slow(lambda: nn.Sequential(nn.Linear(4, 4), Slowly(), nn.Linear(4, 3)))
    assert took_ns <= core.total("step/backward/Sequential/1") < core.total("step/backward")


def test_what_functions_between_modules_or_networks_take_is_no_modules():
    core, took_ns = slow(Between)
    named = core.total("step/backward/Between/a") + core.total("step/backward/Between/b")
    assert 0 < named <= core.total("step/backward/Between") - took_ns
    core, took_ns = slow(
        Between, lambda two: train(two, call=lambda inputs: two.b(Slow.apply(two.a(inputs))))
    )
    named = core.total("step/backward/Linear") + core.total("step/backward/Sequential")
    assert 0 < named <= core.total("step/backward") - took_ns


def test_a_teacher_s_modules_have_their_rows_in_the_step():
    class Teacher(Net):
        pass

    teacher, student = seeded(Teacher).eval(), seeded(Net)
    optimizer = torch.optim.SGD(student.parameters(), lr=0.1)
    batches = loader(3)
    with watched(modules=True) as core:
        for _ in range(2):
            for inputs, _ in batches:
                with torch.no_grad():
                    wanted = teacher(inputs).softmax(-1)
                loss = nn.functional.cross_entropy(student(inputs), wanted)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            with torch.inference_mode():
                for inputs, _ in loader(2):
                    student(inputs)
    assert core.count("step") == core.count("step/backward") == 6
    assert core.count("evaluation") == 4
    # What lies in the very first is written before anything tells that it is of a step.
    calls = [core.count(f"{unit}/forward/Teacher") for unit in ("step", "evaluation")]
    assert calls == [5, 1]


def test_relu_in_place_works_on_a_modules_output():
    core = same(lambda: nn.Sequential(nn.Linear(4, 4), nn.ReLU(inplace=True), nn.Linear(4, 3)))
    assert below(core, "backward", "Sequential") == {"0": 3, "1": 3, "2": 3}


def test_a_shared_module_has_one_name_and_every_call():
    class Twice(nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.out = nn.Linear(4, 4), nn.Linear(4, 3)

        def forward(self, inputs):
            return self.out(self.layer(torch.relu(self.layer(inputs))))

    core = same(Twice)
    assert below(core, "forward", "Twice") == {"layer": 6, "out": 3}
    found = below(core, "backward", "Twice")
    assert found["out"] == 3
    assert found["layer"] == 6


@pytest.mark.parametrize("kind", ["tuple", "dict", "nested"])
def test_modules_with_several_outputs_are_timed_too(kind):
    class Several(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.b = nn.Linear(4, 3), nn.Linear(4, 3)

        def forward(self, inputs):
            a, b = self.a(inputs) * 2, self.b(inputs) * 3
            if kind == "dict":
                return {"a": a, "b": b}
            return (a, b) if kind == "tuple" else ((a, None), b)

    class Outer(nn.Module):
        def __init__(self):
            super().__init__()
            self.several = Several()

        def forward(self, inputs):
            out = self.several(inputs)
            if kind == "dict":
                return out["a"] + out["b"]
            return out[0] + out[1] if kind == "tuple" else out[0][0] + out[1]

    core = same(Outer)
    found = below(core, "backward", "Outer")
    assert found.keys() == {"several", "several/a", "several/b"}


def test_an_lstm_and_attention_are_left_as_they_are():
    class Recurrent(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(4, 4, batch_first=True)
            self.attend = nn.MultiheadAttention(4, 2, batch_first=True)
            self.out = nn.Linear(4, 3)

        def forward(self, inputs):
            sequence, _ = self.lstm(inputs.unsqueeze(1).expand(-1, 3, -1))
            sequence, _ = self.attend(sequence, sequence, sequence)
            return self.out(sequence[:, -1])

    core = same(Recurrent)
    assert {"lstm", "attend", "out"} <= below(core, "forward", "Recurrent").keys()
    assert {"lstm", "attend", "out"} <= below(core, "backward", "Recurrent").keys()


def test_forward_without_gradients_is_split_and_tags_nothing():
    model = seeded(Net)
    with watched(modules=True) as core, torch.no_grad():
        model(torch.ones(2, 4))
    assert core.count("evaluation/forward/Net/blocks.0/linear") == 1


@pytest.mark.parametrize("reentrant", [False, True])
def test_a_checkpointed_module_is_timed_in_both_directions(reentrant):
    class Checkpointed(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.block, self.out = nn.Linear(4, 4), Block(), nn.Linear(4, 3)

        def forward(self, inputs):
            return self.out(checkpoint(self.block, self.first(inputs), use_reentrant=reentrant))

    core = same(Checkpointed)
    assert below(core, "forward", "Checkpointed") == {
        "block": 3,
        "block/act": 3,
        "block/linear": 3,
        "first": 3,
        "out": 3,
    }
    found = below(core, "backward", "Checkpointed")
    assert {"first", "block", "block/linear", "out"} <= found.keys()
    assert "step/backward/forward" not in core.paths()


def test_hooks_of_the_users_own_run_as_before():
    class Hooked(Net):
        def __init__(self):
            super().__init__()
            self.seen = []
            self.head.register_forward_hook(lambda *_: self.seen.append("forward"))
            self.head.register_full_backward_hook(lambda *_: self.seen.append("backward"))

    model = seeded(Hooked)
    with watched(modules=True):
        train(model)
    assert model.seen == ["forward", "backward"] * 3


def test_a_profiler_of_the_users_own_sees_nothing_of_ours():
    def profiled():
        model = seeded(Net)
        with torch.autograd.profiler.profile() as profiler:
            train(model)
        return Counter(event.name for event in profiler.function_events)

    alone = profiled()
    with watched(modules=True):
        measured = profiled()
    assert measured == alone


def test_an_error_inside_a_module_closes_its_laps():
    class Fails(nn.Module):
        def forward(self, inputs):
            raise ValueError("inside")

    model = nn.Sequential(nn.Linear(4, 4), nn.Sequential(Fails()))
    with watched(modules=True) as core:
        with pytest.raises(ValueError, match="inside"):
            model(torch.ones(2, 4))
    assert core.count("step/forward/Sequential/1/0") == 1


def test_models_that_are_deleted_are_not_kept_alive():
    import gc
    import weakref

    model = seeded(Net)
    gone = weakref.ref(model)
    with watched(modules=True):
        train(model)
        del model
        gc.collect()
        assert gone() is None


@pytest.fixture
def tagged():
    """A scripted core, and the laps and tags of a network of two layers."""
    from scripted import ScriptedCore

    from laptime.integrations._modules import ModuleLaps

    core = ScriptedCore()
    laps = ModuleLaps(torch, core)
    model = nn.Sequential(nn.Linear(4, 4), nn.Linear(4, 3))
    root = laps.root(model)
    tags = [laps.tag_of(laps.inside(root, child)) for child in model]
    return core, laps, [laps.tag_of(root), *tags]


def reach(core, tags):
    for tag in tags:
        core.clock += 10
        tag._backward_hooks[0](None)
    core.clock += 10


def test_the_engine_opens_the_laps_of_the_nodes_that_it_reaches(tagged):
    core, laps, (root, first, second) = tagged
    token = core.open_span("backward")
    laps.backward_begin()
    reach(core, [root, second, second, root, first])
    laps.backward_end()
    core.close_span(token)
    assert [(s.path, s.start, s.duration) for s in core.spans] == [
        ("backward/Sequential/1", 1_020, 20),
        ("backward/Sequential/0", 1_050, 10),
        ("backward/Sequential", 1_010, 50),
        ("backward", 1_000, 60),
    ]


def test_nodes_that_are_reached_outside_of_a_backward_open_nothing(tagged):
    core, laps, tags = tagged
    laps.backward_begin()
    laps.backward_end()
    reach(core, tags)
    assert core.spans == core.stack == []


def test_a_thread_of_the_engines_own_is_written_under_the_backward_that_waited(tagged):
    import threading

    core, laps, (_, first, second) = tagged
    token = core.open_span("backward")
    laps.backward_begin()
    thread = threading.Thread(target=reach, args=(core, [second, second, first]))
    thread.start()
    thread.join()
    laps.backward_end()
    core.close_span(token)
    assert [(s.path, s.start, s.duration) for s in core.spans] == [
        ("backward/Sequential/1", 1_010, 20),
        ("backward/Sequential/0", 1_030, 10),
        ("backward/Sequential", 1_010, 30),
        ("backward", 1_000, 40),
    ]


def both(core, module, count):
    found = {core.count(f"step/{phase}/{module}") for phase in ("forward", "backward")}
    return found == {count}


def test_networks_of_one_step_have_a_row_each():
    class Generator(nn.Sequential):
        pass

    class Discriminator(nn.Sequential):
        pass

    class Gan(nn.Module):
        """Never called itself."""

        def __init__(self):
            super().__init__()
            self.make, self.judge = Generator(nn.Linear(4, 4)), Discriminator(nn.Linear(4, 3))

    core = same(Gan, lambda gan: train(gan, call=lambda inputs: gan.judge(gan.make(inputs))))
    assert both(core, "Generator", 3)
    assert both(core, "Generator/0", 3)
    assert both(core, "Discriminator", 3)
    assert both(core, "Discriminator/0", 3)


def test_networks_of_one_class_are_numbered_by_their_first_call():
    class Two(nn.Module):
        def __init__(self):
            super().__init__()
            self.b, self.a = nn.Linear(4, 3), nn.Linear(4, 4)

    core = same(Two, lambda two: train(two, call=lambda inputs: two.b(two.a(inputs))))
    assert both(core, "Linear", 3)
    assert both(core, "Linear#2", 3)
    assert core.count("step/forward/Linear#3") == 0


def test_a_network_made_anew_takes_the_name_of_the_one_that_is_gone():
    with watched(modules=True) as core:
        for _ in range(3):
            train(seeded(Net), batches=2)
    assert core.count("step/forward/Net") == 6
    assert not any("#" in path for path in core.paths())


LEAKING = """
import ctypes
import torch
from torch import nn

class Allocated(ctypes.Structure):
    _fields_ = [(name, ctypes.c_size_t) for name in (
        "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split()
    )]

libc = ctypes.CDLL(None)
libc.mallinfo2.restype = Allocated

torch.manual_seed(0)
torch.set_num_threads(1)
model = nn.Sequential(nn.Linear(16, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
kept = []
for step in range(300):
    hidden = model[:4](torch.randn(64, 16))
    loss = nn.functional.cross_entropy(model[4](hidden), torch.randint(0, 3, (64,)))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    kept.append((loss, hidden))
    if step in (100, 299):
        allocated = libc.mallinfo2()
        print(allocated.uordblks + allocated.hblkhd, flush=True)
"""


@pytest.mark.skipif(
    not hasattr(ctypes.CDLL(None), "mallinfo2"), reason="asks the C library what is allocated"
)
def test_graphs_that_a_program_keeps_hold_next_to_nothing_of_ours(tmp_path):
    (tmp_path / "leak.py").write_text(LEAKING)

    def allocated_per_step(*before):
        done = subprocess.run(
            [sys.executable, *before, "leak.py"],
            cwd=tmp_path,
            # Small objects come from the C library too, one by one.
            env={**os.environ, "PYTHONMALLOC": "malloc"},
            capture_output=True,
            text=True,
            timeout=500,
        )
        assert done.returncode == 0, done.stderr
        first, last = map(int, done.stdout.split())
        return (last - first) / 199

    alone = allocated_per_step()
    within = allocated_per_step("-m", "laptime", "run", "--modules", "-o", "leak.lap")
    # The graph and 16 KiB of activations; a hook for each module's node is in it.
    assert 16 * 1024 < alone < within < alone + 1024


def test_what_takes_the_place_of_a_module_that_is_gone_is_timed_as_that():
    model = seeded(Net)

    def slices(inputs):
        return model.head[1:](model.head[:1](inputs))

    def call(inputs):
        return slices(model.blocks[0](inputs))

    with watched(modules=True) as core:
        train(model, batches=3, call=call)
    assert core.count("step/forward/Sequential") == 6
    assert [core.count(f"step/forward/Sequential/{child}") for child in range(3)] == [3, 3, 3]
    assert core.count("step/backward/Block/linear") == 3
    assert not any("#" in path for path in core.paths())


def test_a_loss_has_its_own_row():
    model, loss_of = seeded(Net), nn.CrossEntropyLoss()
    with watched(modules=True) as core:
        for inputs, targets in loader(2):
            loss_of(model(inputs), targets).backward()
    for phase in ("forward", "backward"):
        # Nothing updates the weights: one step.
        assert core.count(f"step/{phase}/CrossEntropyLoss") == 2


def light():
    """75 small modules."""
    layers = []
    for _ in range(37):
        layers += [nn.Linear(4, 4), nn.ReLU()]
    return nn.Sequential(*layers, nn.Linear(4, 3))


def test_every_one_of_many_small_modules_is_timed_in_both_directions():
    core = same(light)
    everyone = {str(number): 3 for number in range(75)}
    assert below(core, "forward", "Sequential") == everyone
    assert below(core, "backward", "Sequential") == everyone


def test_a_torch_without_tags_is_told_once_and_times_the_forward(caplog, monkeypatch):
    from laptime.integrations._modules import ModuleLaps

    def fails(*_):
        raise AttributeError("no such thing")

    monkeypatch.setattr(ModuleLaps, "make_tag", fails)
    core = same(Net)
    assert below(core, "forward") == NAMES
    assert below(core, "backward") == {}
    said = "backward is not split by module: AttributeError: no such thing"
    assert [record.getMessage() for record in caplog.records] == [said]


def test_modules_made_in_every_forward_are_not_kept():
    import gc
    import weakref

    seen = []

    class Makes(Net):
        def forward(self, inputs):
            made = [nn.Linear(4, 4) for _ in range(70)]
            seen.extend(weakref.ref(one) for one in made)
            for one in made:
                inputs = one(inputs)
            return super().forward(inputs)

    model = seeded(Makes)
    with watched(modules=True) as core:
        train(model)
        gc.collect()
        assert not any(reference() for reference in seen)
    assert core.count("step/forward/Makes/Linear") == 210
    assert core.count("step/forward/Makes/head") == 3
