"""Scripts for flops-profiler and DeepSpeed's profiler, with only the import changed."""

import io
import os

import pytest

torch = pytest.importorskip("torch")

from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from laptime import NotAvailableError
from laptime.flops_profiler import FlopsProfiler, deepspeed, get_model_profile


class Attending(nn.Module):
    def __init__(self):
        super().__init__()
        self.project = nn.Linear(32, 96, bias=False)
        self.out = nn.Linear(32, 10)

    def forward(self, x, scale=1.0):
        q, k, v = self.project(x * scale).chunk(3, -1)
        return self.out(nn.functional.scaled_dot_product_attention(q, k, v))

    def encode(self, x):
        return self.project(x)


X = torch.randn(2, 8, 32)
PROJECT = 2 * 8 * 32 * 96
ATTENTION = 2 * 2 * 8 * 8 * 32
MAC = PROJECT + ATTENTION + 2 * 8 * 32 * 10
PARAMS = 32 * 96 + 32 * 10 + 10


def test_a_model_s_profile_is_flop_macs_and_parameters(capsys):
    flops, macs, params = get_model_profile(Attending(), input_shape=(2, 8, 32))
    assert (macs, params) == (MAC, PARAMS)
    assert flops > 2 * MAC
    assert "project" in capsys.readouterr().out


class Changing(nn.Module):
    """Changes its buffer's memory, a parameter, an attribute and the environment."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.scale = nn.Parameter(torch.zeros(4))
        self.register_buffer("seen", torch.zeros(4))

    def forward(self, x):
        self.seen.data = self.seen + 1
        self.scale.data.add_(1)
        self.last = x
        os.environ["LAPTIME_TEST_OF_A_PROFILE"] = "1"
        return self.linear(x) * self.scale


def test_a_model_that_is_timed_is_what_it_was_whatever_it_changes(capsys):
    model = Changing()
    places = model.seen.data_ptr(), model.scale.data_ptr()
    get_model_profile(model, input_shape=(2, 4))
    assert "fwd latency" in capsys.readouterr().out
    assert (model.seen.data_ptr(), model.scale.data_ptr()) == places
    assert not model.seen.any()
    assert not model.scale.any()
    assert not hasattr(model, "last")
    assert model.training
    assert "LAPTIME_TEST_OF_A_PROFILE" not in os.environ


class Remembering(nn.Module):
    """Writes to tensors that are no parameters and no buffers."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 6)
        self.linear.weight.grad = torch.ones(6, 4)
        self.seen = torch.zeros(2)
        self.cache = [torch.zeros(2)]
        self.optimizers = [torch.optim.SGD(self.linear.parameters(), lr=0.1, momentum=0.9)]
        self.optimizers[0].step()

    def forward(self, x):
        self.seen += 1
        self.cache[0] += 1
        self.linear.weight.grad.mul_(2)
        self.optimizers[0].step()
        return self.linear(x)


def test_tensors_that_are_no_weights_are_what_they_were_after_a_timed_profile(capsys):
    model = Remembering()
    weight = model.linear.weight.detach().clone()
    get_model_profile(model, args=(torch.rand(3, 4),))
    assert "warning" not in capsys.readouterr().out
    (momentum,) = (it["momentum_buffer"] for it in model.optimizers[0].state.values())
    assert not model.seen.any()
    assert not model.cache[0].any()
    assert torch.equal(model.linear.weight.grad, torch.ones(6, 4))
    assert torch.equal(momentum, torch.ones(6, 4))
    assert torch.equal(model.linear.weight, weight)


def test_arguments_by_position_and_name_reach_the_model():
    quiet = {"print_profile": False}
    by_place = get_model_profile(Attending(), args=[X], kwargs={"scale": 2.0}, **quiet)
    by_name = get_model_profile(Attending(), kwargs={"x": X}, **quiet)
    assert by_place[1] == by_name[1] == MAC


def test_texts_are_the_profiler_s():
    texts = get_model_profile(Attending(), args=[X], print_profile=False, as_string=True)
    assert texts[1:] == ("62.46 KMACs", "3.4 k")


def test_a_method_of_the_model_can_be_profiled():
    for way in ({"func_name": "encode"}, {"mode": "encode"}):
        _, macs, _ = get_model_profile(Attending(), args=[X], print_profile=False, **way)
        assert macs == PROJECT


def test_ignored_modules_are_left_out():
    model = nn.Sequential(Attending(), nn.Linear(10, 4, bias=False))
    _, macs, _ = get_model_profile(model, args=[X], print_profile=False, ignore_modules=[Attending])
    assert macs == 2 * 8 * 10 * 4


def test_the_table_goes_to_a_file_when_one_is_named(tmp_path, capsys):
    path = tmp_path / "below" / "profile.txt"
    get_model_profile(Attending(), args=[X], output_file=str(path))
    assert "project" in path.read_text(encoding="utf-8")
    assert capsys.readouterr().out == ""


def test_nothing_to_call_the_model_with_says_what_to_give():
    with pytest.raises(ValueError, match="input_shape, args or kwargs"):
        get_model_profile(Attending())
    with pytest.raises(TypeError, match="tuple"):
        get_model_profile(Attending(), input_shape=[2, 8, 32])
    with pytest.raises(TypeError, match="not int"):
        get_model_profile(3, input_shape=(2,))


def test_a_training_step_counts_the_model_s_forward_and_nothing_else(capsys):
    model = Attending()
    profiler = FlopsProfiler(model)
    profiler.start_profile()
    loss = model(X).square().mean()
    torch.randn(64, 64) @ torch.randn(64, 64)
    loss.backward()
    assert profiler.get_total_macs() == MAC
    assert profiler.get_total_macs(as_string=True) == "62.46 KMACs"
    assert profiler.get_total_flops() > 2 * MAC
    assert profiler.get_total_params() == PARAMS
    profiler.print_model_profile(profile_step=1, detailed=True)
    assert "project" in capsys.readouterr().out
    profiler.end_profile()
    with pytest.raises(NotAvailableError, match="start_profile"):
        profiler.get_total_macs()


def test_forwards_add_up_until_the_first_question():
    model = Attending()
    profiler = FlopsProfiler(model)
    profiler.start_profile()
    model(X)
    model(X)
    profiler.stop_profile()
    model(X)
    assert profiler.get_total_macs() == 2 * MAC


@pytest.mark.parametrize("ignored", ["Linear", nn.Linear, ["Linear"], [nn.Linear(4, 8)]])
def test_ignored_modules_are_a_list_of_classes(ignored):
    said = r"is a list of classes, such as .*=\[torch.nn.Dropout\]"
    with pytest.raises(TypeError, match=f"ignore_modules {said}"):
        get_model_profile(Attending(), args=[X], print_profile=False, ignore_modules=ignored)
    with pytest.raises(TypeError, match=f"ignore_list {said}"):
        FlopsProfiler(Attending()).start_profile(ignore_list=ignored)


def test_an_output_file_that_can_t_be_written_is_refused_before_the_model_runs(tmp_path):
    class Never(nn.Linear):
        def forward(self, x):
            raise AssertionError

    with pytest.raises(IsADirectoryError, match="output_file is a folder"):
        get_model_profile(Never(4, 8), args=[X], output_file=str(tmp_path))
    with pytest.raises(TypeError, match="output_file is the path of a file, not StringIO"):
        get_model_profile(Never(4, 8), args=[X], output_file=io.StringIO())


def test_modules_are_ignored_while_a_program_runs_too():
    model = Attending()
    profiler = FlopsProfiler(model)
    profiler.start_profile(ignore_list=[nn.Linear])
    model(X)
    assert profiler.get_total_macs() == ATTENTION


def test_a_forward_s_duration_is_what_is_printed(capsys):
    model = Attending()
    profiler = FlopsProfiler(model)
    profiler.start_profile()
    model(X)
    model(X)
    profiler.stop_profile()
    assert profiler.get_total_duration() > 0
    profiler.print_model_profile()
    text = capsys.readouterr().out
    assert f"fwd latency: {profiler.get_total_duration(as_string=True)}" in " ".join(text.split())
    assert "fwd latency is an upper bound" in text
    assert (profiler.flops, profiler.macs) == (profiler.get_total_flops(), 2 * MAC)


def test_a_duration_without_a_forward_is_not_made_up():
    profiler = FlopsProfiler(Attending())
    with pytest.raises(NotAvailableError, match=r"start_profile\(\)"):
        profiler.get_total_duration()
    profiler.start_profile()
    with pytest.raises(NotAvailableError, match="no forward of Attending ran"):
        profiler.get_total_duration()
    with pytest.raises(NotAvailableError, match="not timed one by one"):
        profiler.get_total_functional_duration()


def test_nothing_is_left_of_a_profiler():
    model = Attending()
    before = {path: dict(vars(module)) for path, module in model.named_modules()}
    call, fast = nn.Module.__call__, torch.backends.mha.get_fastpath_enabled()
    profiler = FlopsProfiler(model)
    profiler.start_profile()
    model(X)
    profiler.print_model_profile()
    profiler.end_profile()
    assert {path: dict(vars(module)) for path, module in model.named_modules()} == before
    assert nn.Module.__call__ is call
    assert torch.backends.mha.get_fastpath_enabled() is fast
    profiler.print_model_profile()  # ended: says nothing, as the original


def test_profilers_may_end_in_the_order_that_they_began():
    call, mha = nn.Module.__call__, torch.backends.mha
    run_backward = torch.autograd._engine_run_backward
    first, second = nn.Linear(4, 6), nn.Linear(4, 6)
    x = torch.randn(3, 4)
    of_first, of_second = FlopsProfiler(first), FlopsProfiler(second)
    of_first.start_profile()
    of_second.start_profile()
    first(x)
    second(x)
    assert of_first.get_total_macs() == 72
    assert not mha.get_fastpath_enabled()
    first(x)
    second(x)
    assert of_second.get_total_macs() == 144
    assert of_first.get_total_macs() == 72
    durations = of_first.get_total_duration(), of_second.get_total_duration()
    first(x)
    second(x)
    assert (of_first.get_total_duration(), of_second.get_total_duration()) == durations
    of_first.end_profile()
    of_second.end_profile()
    assert nn.Module.__call__ is call
    assert torch.autograd._engine_run_backward is run_backward
    assert mha.get_fastpath_enabled()
    assert not torch.utils._python_dispatch._get_current_dispatch_mode_stack()


def test_another_tool_s_patch_stays_when_a_profiler_ends(monkeypatch):
    call = nn.Module.__call__
    linear, x, called = nn.Linear(4, 6), torch.randn(3, 4), []
    profiler = FlopsProfiler(linear)
    profiler.start_profile()
    below = nn.Module.__call__

    def another(module, *arguments, **keywords):
        called.append(module)
        return below(module, *arguments, **keywords)

    monkeypatch.setattr(nn.Module, "__call__", another)
    linear(x)
    assert profiler.get_total_macs() == 72
    duration = profiler.get_total_duration()
    profiler.end_profile()
    assert nn.Module.__call__ is another
    linear(x)
    assert called == [linear, linear]
    # The other tool puts back what it found; the next profiler takes that away.
    monkeypatch.undo()
    profiler.start_profile()
    linear(x)
    assert profiler.get_total_macs() == 72
    assert profiler.get_total_duration() != duration
    profiler.end_profile()
    assert nn.Module.__call__ is call


def test_a_mode_of_the_program_s_stays_when_a_profiler_ends():
    linear, x = nn.Linear(4, 6), torch.randn(3, 4)
    profiler = FlopsProfiler(linear)
    profiler.start_profile()
    with FlopCounterMode(display=False) as counter:
        linear(x)
        profiler.stop_profile()
        linear(x)
    assert counter.get_total_flops() == 2 * 144
    assert profiler.get_total_macs() == 72
    assert not torch.utils._python_dispatch._get_current_dispatch_mode_stack()


def test_a_forward_that_raises_leaves_nothing_either():
    model, call = Attending(), nn.Module.__call__
    profiler = FlopsProfiler(model)
    profiler.start_profile()
    with pytest.raises(RuntimeError):
        model(torch.randn(2, 8, 31))
    model(X)
    profiler.end_profile()
    assert nn.Module.__call__ is call


def test_compiled_code_is_counted_as_it_was_written_and_said_so(capsys):
    model = torch.compile(Attending(), backend="eager")
    profiler = FlopsProfiler(model)
    profiler.start_profile()
    model(X)
    assert profiler.get_total_macs() == MAC
    profiler.print_model_profile()
    assert "compiled modules ran as they were written" in capsys.readouterr().out


class Engine:
    """What a profiler asks DeepSpeed's engine."""

    world_size, dp_world_size, mp_world_size = 8, 4, 2

    def wall_clock_breakdown(self):
        return True

    def train_micro_batch_size_per_gpu(self):
        return 3

    def timers(self, name):
        ms = {"fwd": 100, "bwd": 300, "step": 200}[name]
        return type("Timer", (), {"elapsed": lambda self, reset: ms})()


def test_an_engine_s_ranks_and_timers_are_printed(capsys):
    model = Attending()
    profiler = deepspeed.FlopsProfiler(model, Engine(), recompute_fwd_factor=1.0)
    profiler.start_profile()
    model(X)
    profiler.print_model_profile(detailed=False)
    text = " ".join(capsys.readouterr().out.split())
    for line in (
        "model parallel size: 2",
        "params of model = params per GPU * mp_size: 6.8 K",
        "bwd latency: 300 ms",
        "iter latency: 600 ms",
        "bwd FLOPS per GPU = 3 * fwd flops per GPU / bwd latency:",
        "samples/second: 40.0",  # 3 * 8 samples in 0.6 s
    ):
        assert line in text
    assert profiler.is_expert_tensor_parallelism_enabled() is False
