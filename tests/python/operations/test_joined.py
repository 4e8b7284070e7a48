"""`lt.record(ops=True)`: operations of each shape's first step, joined with all others' time."""

import itertools
import json
import os
import re
import subprocess
import sys
import textwrap

import pytest

pytest.importorskip("torch")

import laptime as lt

NET = """
import torch
torch.manual_seed(0)
torch.set_num_threads(1)
net = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
criterion = torch.nn.CrossEntropyLoss()

def step(rows, backwards=1):
    optimizer.zero_grad()
    for _ in range(backwards):
        x = torch.randn(rows, 16)
        loss = criterion(net(x), torch.zeros(rows, dtype=torch.long))
        loss.backward()
    optimizer.step()
    return float(loss.detach())
"""


@pytest.fixture
def run(tmp_path, warm):
    """Runs a program whose operations are counted: its report, and what it printed."""

    def run(program: str, **options: object) -> tuple["lt.Report", str]:
        target = tmp_path / "run.lap"
        given = ", ".join(f"{name}={value!r}" for name, value in {"ops": True, **options}.items())
        script = f"import laptime as lt\nrecording = lt.record({str(target)!r}, {given})\n"
        script += textwrap.dedent(program) + "\nrecording.stop()\n"
        # Without torch it must not be there.
        python = warm.python if "torch" in program else sys.executable
        done = subprocess.run(
            [python, "-c", script],
            check=True,
            timeout=500,
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path / "cache")},
            text=True,
            capture_output=True,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return lt.open(target).report(), done.stdout

    return run


def forward_mac(rows: int) -> int:
    return rows * (16 * 32 + 32 * 4)


def backward_mac(rows: int) -> int:
    """Weights' gradients, and the inputs' of the second layer alone."""
    return forward_mac(rows) + rows * 32 * 4


def counted_steps(report: "lt.Report") -> tuple[int, int]:
    """How many were counted as a whole, and how many from their middle on."""
    counted = report["counted step"]
    return counted.count, counted.partial_count


def test_every_step_but_the_counted_ones_has_its_flop_exactly(run):
    report, _ = run(NET + "for _ in range(12): step(8)")
    step = report["step"]
    # The first makes the state of the optimizer; the update of the second is another one.
    assert counted_steps(report) == (1, 1)
    assert (step.count, step.partial_count) == (10, 1)
    forward, backward = report["step/forward"], report["step/backward"]
    assert forward.mac == 11 * forward_mac(8)
    assert backward.mac == 11 * backward_mac(8)
    assert step.mac == forward.mac + backward.mac
    assert step.flop == 2 * step.mac
    assert step.executed_flop == step.flop
    assert step.total_flop > step.flop
    assert step.operations_coverage_ratio == 1.0
    assert forward.flop_per_s == pytest.approx(forward.flop / (forward.total_ns / 1e9))
    assert report["counted step"].flop is None
    assert "longer" in report["counted step"].why("flop")


def test_rows_of_modules_add_up_to_their_phases(run):
    report, _ = run(NET + "for _ in range(6): step(8)", modules=True)
    for phase in ("forward", "backward"):
        whole = report[f"step/{phase}/Sequential"]
        first, second = (report[f"step/{phase}/Sequential/{name}"] for name in (0, 2))
        assert whole.mac == first.mac + second.mac == report[f"step/{phase}"].mac
    assert report["step/forward/Sequential/0"].mac == 5 * 8 * 16 * 32
    assert report["step/forward/Sequential/1"].mac == 0
    assert report["step/backward/Sequential/2"].mac == 5 * 2 * 8 * 32 * 4


def test_each_shape_is_counted_once_and_a_last_smaller_batch_is_one(run):
    report, _ = run(NET + "for _ in range(3):\n  for n in (8, 8, 8, 5): step(n)")
    assert counted_steps(report) == (2, 1)
    # Whole steps, and the forward and backward of the step whose update alone was new.
    assert report["step/forward"].mac == 8 * forward_mac(8) + 2 * forward_mac(5)


def test_evaluation_is_counted_apart_from_training(run):
    program = """
    for epoch in range(3):
        for _ in range(3): step(8)
        net.eval()
        with torch.no_grad():
            for _ in range(4): net(torch.randn(20, 16))
        net.train()
    """
    report, _ = run(NET + textwrap.dedent(program))
    assert report["counted evaluation"].count == 1
    assert report["evaluation"].mac == 11 * forward_mac(20)
    assert report["evaluation"].count == 11


def test_a_model_that_ran_once_says_where_its_flop_are_had(run):
    program = """
    with torch.no_grad(): net(torch.randn(20, 16))
    """
    report, _ = run(NET + textwrap.dedent(program))
    assert report["counted evaluation"].flop is None
    assert "no row has FLOP" in report.to_json()


def test_waiting_for_no_further_batch_goes_on_with_the_unit_that_was_counted(run):
    program = """
    data = torch.utils.data.TensorDataset(torch.randn(12, 16))
    net.eval()
    for epoch in range(3):
        with torch.no_grad():
            for (x,) in torch.utils.data.DataLoader(data, batch_size=8):
                net(x)
    """
    report, _ = run(NET + textwrap.dedent(program))
    for path in ("", "/data", "/forward"):
        assert report[f"counted evaluation{path}"].count == 2
        assert report[f"evaluation{path}"].count == 4
    assert report["evaluation"].mac == 2 * forward_mac(8) + 2 * forward_mac(4)


def test_micro_batches_of_one_step_are_told_each(run):
    report, _ = run(NET + "for n in (4, 4, 4, 3): step(8, backwards=n)")
    # The first step's four are in a row of their own; the second one's update alone is.
    assert counted_steps(report) == (1, 1)
    assert report["step/forward"].mac == 11 * forward_mac(8)
    assert report["step"].operations_coverage_ratio == 1.0


def test_a_loader_and_a_loss_module_change_nothing(run):
    program = """
    data = torch.utils.data.TensorDataset(torch.randn(70, 16), torch.zeros(70, dtype=torch.long))
    for epoch in range(3):
        for x, y in torch.utils.data.DataLoader(data, batch_size=16):
            optimizer.zero_grad()
            criterion(net(x), y).backward()
            optimizer.step()
    """
    report, _ = run(NET + textwrap.dedent(program))
    assert sum(counted_steps(report)) == 3
    # 15 batches of which 3 are of 6 rows; counted: the first, one of 6, and the second's update.
    assert report["step/forward"].mac == 11 * forward_mac(16) + 2 * forward_mac(6)
    assert report["step/data"].flop is None


def test_what_a_program_computes_stays_bit_for_bit_the_same(run, warm):
    program = NET + "for n in (8, 8, 5, 8): print(repr(step(n)))\nprint(torch.rand(1).item())"
    _, counted = run(program)
    plain = subprocess.run(
        [warm.python, "-c", program], check=True, timeout=500, text=True, capture_output=True
    )
    assert counted == plain.stdout


def test_what_a_lap_says_takes_the_place_of_what_was_counted_in_it(run):
    program = """
    class Said(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(16, 16)
        def forward(self, x):
            with lt.lap("gemm", flop=1000):
                return self.inner(x)
    net = torch.nn.Sequential(Said(), torch.nn.Linear(16, 4))
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(4): step(8)
    """
    report, _ = run(NET + textwrap.dedent(program))
    gemm = report["step/forward/gemm"]
    assert (gemm.flop, gemm.mac) == (1000 * gemm.count, None)
    assert report["step/forward"].flop == gemm.flop + 2 * gemm.count * 8 * 16 * 4


def test_a_step_that_raises_while_it_is_counted_is_counted_again(run):
    program = """
    def hurt(*_): raise KeyError("once")
    hook = net[2].register_forward_hook(hurt)
    try:
        step(8)
    except KeyError:
        print("raised")
    hook.remove()
    for _ in range(5): step(8)
    """
    report, printed = run(NET + textwrap.dedent(program))
    assert printed == "raised\n"
    forward = report["step/forward"]
    assert forward.mac == forward.count * forward_mac(8)
    assert forward.count == 4


def test_users_own_step_laps_are_set_aside_too(run):
    program = """
    for _ in lt.track(range(6), "step"):
        step(8)
    """
    report, _ = run(NET + textwrap.dedent(program))
    assert sum(counted_steps(report)) == 2
    assert report["step"].count == 4
    assert report["step"].mac == 5 * (forward_mac(8) + backward_mac(8))
    codes = [warning["code"] for warning in json.loads(report.to_json())["warnings"]]
    assert "children-exceed" not in codes


def test_a_mode_of_the_programs_own_is_left_as_it_was(run):
    program = """
    from torch.utils.flop_counter import FlopCounterMode
    from torch.utils._python_dispatch import _get_current_dispatch_mode_stack as stack
    for _ in range(3):
        with FlopCounterMode(display=False) as counter:
            step(8)
        print(counter.get_total_flops(), len(stack()))
    """
    report, printed = run(NET + textwrap.dedent(program))
    each = 2 * (forward_mac(8) + backward_mac(8))
    assert printed.splitlines() == [f"{each} 0"] * 3
    assert report["step/forward"].mac == 2 * forward_mac(8)


COMPILED = """
import torch._dynamo
from torch._dynamo.utils import counters
whole, net = net, torch.compile(net, backend="eager", dynamic=False)
for rows in (8, 8, 8, 9, 9): step(rows)
net = whole
print(counters["stats"]["unique_graphs"], counters["frames"]["total"])
"""


def test_compiled_code_runs_as_it_does_and_is_said_not_to_be_counted(run):
    report, printed = run(NET + COMPILED)
    assert printed.split() == ["2", "2"]
    backward = report["step/backward"]
    assert backward.mac is None
    assert "none of its operations could be counted" in (backward.why("mac") or "")
    assert any("compiled code" in warning for warning in report.warnings)
    # The loss is a module, and not compiled.
    assert report["step/forward"].total_flop > 0


def test_what_a_counted_step_compiles_is_shown_as_such(run):
    report, _ = run(NET + COMPILED)
    forward, compiling = (report[f"counted step/forward{path}"] for path in ("", "/compile"))
    assert compiling.count >= 1
    assert compiling.total_ns < forward.total_ns
    assert forward.self_ns <= forward.total_ns - compiling.total_ns
    # A finding may name it, too.
    _, below = re.split("^counted step", str(report), maxsplit=1, flags=re.MULTILINE)
    inside = itertools.takewhile(lambda line: "─ " in line, below.splitlines()[1:])
    names = re.findall("─ ([a-z]+)", "\n".join(inside))
    assert "compile" in names
    assert "optimizer" not in names, "counting made it longer"


def test_what_is_not_compiled_is_counted_beside_compiled_code(run):
    report, _ = run(NET + COMPILED + "for _ in range(3): step(8)\n")
    optimizer = report["step/optimizer"]
    assert (optimizer.total_flop or 0) > 0
    # Seven steps, the last three of which are eager; the first of those was being counted.
    assert report["step/forward"].mac == 2 * forward_mac(8)


def test_without_ceilings_the_share_of_the_peak_is_absent_with_the_way_to_it(run):
    report, _ = run(NET + "for _ in range(4): step(8)")
    assert report["step"].mfu_ratio is None
    assert "laptime doctor --ceilings" in report["step"].why("mfu_ratio")
    assert "no ceilings of this machine were kept" in str(report)


def test_a_program_without_torch_is_told_so(run):
    report, _ = run("with lt.lap('work', flop=3): pass")
    warnings = json.loads(report.to_json())["warnings"]
    (said,) = [one["message"] for one in warnings if one["code"] == "operations.unavailable"]
    assert "as PyTorch runs them" in said
    assert report["work"].flop == 3


def test_a_jax_program_is_told_so(run):
    pytest.importorskip("jax")
    report, _ = run("import jax\njax.numpy.ones(3).sum()")
    warnings = json.loads(report.to_json())["warnings"]
    (said,) = [one["message"] for one in warnings if one["code"] == "operations.unavailable"]
    assert "the program uses jax" in said


def test_an_operator_without_a_formula_lowers_the_coverage_and_is_named(run):
    program = """
    @torch.library.custom_op("joined::strange", mutates_args=())
    def strange(x: torch.Tensor) -> torch.Tensor:
        return x.clone()
    strange.register_autograd(lambda context, grad: grad)
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Linear(16, 4)
        def forward(self, x):
            return strange(self.inner(x))
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(4): step(8)
    """
    report, _ = run(NET + textwrap.dedent(program))
    assert 0 < report["step/forward"].operations_coverage_ratio < 1
    warnings = {one["code"]: one for one in json.loads(report.to_json())["warnings"]}
    assert "joined::strange" in warnings["operations.uncounted"]["message"]
    assert "operations-uncounted" in warnings


def test_checkpointed_forwards_run_twice_and_count_once(run):
    program = """
    from torch.utils.checkpoint import checkpoint
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.Linear(16, 4))
        def forward(self, x):
            return checkpoint(self.inner, x.requires_grad_(), use_reentrant=False)
    net = Net()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(4): step(8)
    """
    report, _ = run(NET + textwrap.dedent(program))
    step, forward = report["step"], report["step/forward"]
    once = 8 * (16 * 16 + 16 * 4)
    assert forward.mac == forward.count * once
    # How much of it runs again is torch's choice: it stops early.
    assert step.flop < step.executed_flop <= step.flop + 2 * forward.count * once


def test_the_all_reduce_of_gradients_is_counted_by_its_group(run, tmp_path):
    report, _ = run(
        f"""
        import torch
        torch.distributed.init_process_group(
            "gloo", rank=0, world_size=1, init_method="file://{tmp_path / "group"}"
        )
        net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(16, 8))
        optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
        for _ in range(3):
            net(torch.randn(4, 16)).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
        torch.distributed.destroy_process_group()
        """
    )
    assert report["step/backward"].operations_coverage_ratio == 1
    assert not any("not counted" in warning for warning in report.warnings), report.warnings


@pytest.mark.parametrize("options", [{}, {"modules": True}, {"memory": True}])
def test_a_step_that_is_counted_from_its_middle_on_is_in_the_wall_time_once(run, options):
    """AdamW makes its state in its first `step`, so that the second one is another shape."""
    adam = "optimizer = torch.optim.AdamW(net.parameters())\n"
    report, _ = run(NET + adam + "for _ in range(20): step(8, backwards=2)", **options)
    told = json.loads(report.to_json())
    rows = told["rows"]
    assert sum(row["total_ns"] for row in rows if len(row["names"]) == 1) == told["wall_ns"]
    step = report["step"]
    assert (step.count, step.partial_count) == (18, 1)
    assert counted_steps(report) == (1, 1), "neither part of the second is a whole step"
    codes = {warning["code"] for warning in told["warnings"]}
    assert not codes & {"children-exceed", "overlap"}
    forwards = report["step/forward"].count + report["counted step/forward"].count
    assert forwards == 40


def test_a_zero_grad_after_a_validation_is_no_step_of_its_own(run):
    """It goes on with its step, which was counted, though the validation in between was not."""
    program = """
    for _ in range(12):
        step(8)
        net.eval()
        with torch.no_grad(): net(torch.randn(8, 16))
        net.train()
    """
    report, _ = run(NET + textwrap.dedent(program))
    rows = {row["path"]: row["count"] for row in json.loads(report.to_json())["rows"]}
    assert rows["step"] + sum(counted_steps(report)) == 12
    assert rows["step/optimizer"] + rows["counted step/optimizer"] == 12
    assert rows["evaluation"] + rows["counted evaluation"] == 12
