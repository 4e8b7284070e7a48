"""Under `--ops`, what a program does with its model besides training it works as without."""

import os
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("torch")

import laptime as lt

MODEL = """
import torch
from torch import nn
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 3))
x = torch.ones(2, 4)
def trained():
    net(x).sum().backward()
    net(x)
"""

MACHINERY = {
    "export": "torch.export.export(net, (x,)).module()(x)",
    "strict export": "torch.export.export(net, (x,), strict=True).module()(x)",
    "make_fx": "from torch.fx.experimental.proxy_tensor import make_fx\nmake_fx(net)(x)",
    "make_fx, fake": """
from torch.fx.experimental.proxy_tensor import make_fx
make_fx(net, tracing_mode='symbolic', _allow_non_fake_inputs=True)(x)""",
    "fx": "torch.fx.symbolic_trace(net)(x)",
    "compile": "torch.compile(net, backend='aot_eager')(x).sum().backward()",
    "fake tensors": """
from torch._subclasses import FakeTensorMode
with FakeTensorMode(allow_non_fake_inputs=True) as mode:
    assert type(net(mode.from_tensor(x))).__name__ == 'FakeTensor'""",
    "functionalize": "torch.func.functionalize(net)(x)",
    "vmap": "torch.func.vmap(net)(torch.ones(5, 2, 4))",
    "grad": "torch.func.grad(lambda x: net(x).sum())(x)",
    "jacrev of vmap": "torch.func.vmap(torch.func.jacrev(net))(x)",
    "functional_call": "torch.func.functional_call(net, dict(net.named_parameters()), (x,))",
    "trace": "torch.jit.trace(net, x)(x)",
    "script": "torch.jit.freeze(torch.jit.script(net).eval())(x)",
    "autograd.grad": "torch.autograd.grad(net(x).sum(), list(net.parameters()))",
    "deepcopy": "import copy; copy.deepcopy(net)(x)",
    "meta": "nn.Linear(4, 4, device='meta')(torch.ones(2, 4, device='meta'))",
    "flop counter": """
from torch.utils.flop_counter import FlopCounterMode
with FlopCounterMode(display=False) as counter: net(x)
assert counter.get_total_flops() == 2 * 2 * (4 * 8 + 8 * 3)""",
    "a mode that stays on": """
from torch.utils._python_dispatch import TorchDispatchMode
class Passing(TorchDispatchMode):
    def __torch_dispatch__(self, f, types, args=(), kwargs=None):
        return f(*args, **(kwargs or {}))
with Passing(): trained()""",
}

WITHIN = {
    "compile": """
class Lazy(nn.Module):
    inner = None
    def forward(self, x):
        if self.inner is None:
            self.inner = torch.compile(torch.sin, backend='aot_eager')
        return self.inner(x)
net = nn.Sequential(net, Lazy())
trained()""",
    "export": """
class Exporting(nn.Module):
    def forward(self, x):
        return torch.export.export(nn.Linear(4, 3), (x,)).module()(x)
net = nn.Sequential(Exporting())
trained()""",
    "vmap": """
class Mapped(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 3)
    def forward(self, x):
        return torch.func.vmap(self.inner)(x)
net = nn.Sequential(Mapped())
trained()""",
    "fake": """
from torch._subclasses import FakeTensorMode
class Faking(nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = nn.Linear(4, 3)
    def forward(self, x):
        with FakeTensorMode(allow_non_fake_inputs=True) as mode:
            self.shape = self.inner(mode.from_tensor(x)).shape
        return self.inner(x)
net = nn.Sequential(Faking())
trained()""",
}
STACK = """
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack as stack
assert not stack()
print('through')
"""


def through(folder, program, *, first="trained()", python=sys.executable):
    """Runs a program under `ops`; its recording. It imports torch unless `python` did."""
    target = folder / "run.lap"
    script = f"import laptime as lt\nrecording = lt.record({str(target)!r}, ops=True)\n"
    script += MODEL + first + "\n" + program + STACK + "recording.stop()\n"
    done = subprocess.run(
        [python, "-c", script],
        timeout=240,
        text=True,
        capture_output=True,
        env={**os.environ, "XDG_CACHE_HOME": str(folder / "cache")},
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == "through\n"
    assert "Traceback" not in done.stderr, done.stderr
    return target


@pytest.mark.parametrize("first", ["trained()", ""], ids=["after training", "alone"])
@pytest.mark.parametrize("machinery", MACHINERY)
def test_machinery_works_as_without(tmp_path, machinery, first, warm):
    through(tmp_path, MACHINERY[machinery], first=first, python=warm.python)


@pytest.mark.parametrize("machinery", WITHIN)
def test_machinery_inside_a_forward_works_as_without(tmp_path, machinery, warm):
    through(tmp_path, WITHIN[machinery], python=warm.python)


def test_no_mode_lies_over_what_stands_between_calls(tmp_path, warm):
    program = """
    from torch.utils._python_dispatch import _get_current_dispatch_mode_stack as stack
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for _ in range(2):
        seen = []
        for (batch,) in torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x)):
            seen.append(len(stack()))
            loss = net(batch).sum()
            seen.append(len(stack()))
            loss.backward()
            seen.append(len(stack()))
            optimizer.step()
            seen.append(len(stack()))
            optimizer.zero_grad()
            seen.append(len(stack()))
        assert not any(seen), seen
    """
    through(tmp_path, textwrap.dedent(program), first="", python=warm.python)


def test_a_closure_s_forwards_are_counted_apart_from_the_step_around_them(tmp_path):
    program = """
    torch.set_num_threads(1)
    optimizer = torch.optim.LBFGS(net.parameters(), lr=0.1, max_iter=3)
    def closure():
        optimizer.zero_grad()
        loss = net(x).square().sum()
        loss.backward()
        return loss
    for _ in range(6): optimizer.step(closure)
    """
    report = lt.open(through(tmp_path, textwrap.dedent(program), first="")).report()
    forward = report["step/forward"]
    assert forward.mac == forward.count * 2 * (4 * 8 + 8 * 3)


def test_a_float_that_changes_makes_no_new_stretch(tmp_path, warm):
    program = """
    class Scaled(nn.Linear):
        def forward(self, x, by):
            return super().forward(x) * by
    net = Scaled(4, 3)
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for i in range(8):
        net(x, i / 3).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
    """
    report = lt.open(
        through(tmp_path, textwrap.dedent(program), first="", python=warm.python)
    ).report()
    assert report["counted step"].count <= 2
    assert report["step"].count >= 6


def test_stretches_are_bounded_and_the_rest_is_left_out_with_a_word(tmp_path, warm):
    program = """
    from laptime.integrations import _counting
    _counting.MOST_STRETCHES = 10
    class Scaled(nn.Linear):
        def forward(self, x, by):
            return super().forward(x) * by
    net = Scaled(4, 3).eval()
    with torch.no_grad():
        for i in range(40): net(x, i)
    """
    target = through(tmp_path, textwrap.dedent(program), first="", python=warm.python)
    report = lt.open(target).report()
    assert report["counted evaluation"].count == 10
    assert report["evaluation/forward"].operations_coverage_ratio in (0.0, None)
    assert "only 10 different calls are counted" in report.to_json()


def test_recording_again_and_again_leaves_nothing_behind(tmp_path, warm):
    program = """
    import gc, os, tracemalloc
    hooks = []
    os.register_at_fork = lambda **given: hooks.append(given)
    recording.stop()
    def once(i):
        with lt.record(str(i) + ".lap", ops=True):
            trained()
    for i in range(3): once(i)
    del hooks[:]
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    for i in range(3, 13): once(i)
    gc.collect()
    kept = tracemalloc.get_traced_memory()[0] - before
    assert not hooks
    assert kept < 300_000, kept
    """
    body = f"import os; os.chdir({str(tmp_path)!r})\n" + textwrap.dedent(program)
    through(tmp_path, body, first="", python=warm.python)
