"""What `get_model_profile` prints: exact counts, times of runs of its own, the model left alone."""

import inspect
import random
import re
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

from torch import nn

import laptime as lt
from laptime import flops_profiler
from laptime.compat.flops_profiler import units
from laptime.flops_profiler import deepspeed, get_model_profile


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(4, 8, bias=False), nn.Linear(8, 8, bias=False)])
        self.again = self.blocks[1]
        self.head = nn.Sequential(nn.ReLU(), nn.Linear(8, 2, bias=False))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return self.head(self.again(x))

    def generate(self, x, times=1):
        for _ in range(times):
            self(x)


#: Three rows through 4 by 8, twice 8 by 8, and 8 by 2.
FIRST, SECOND, HEAD = 3 * 4 * 8, 2 * 3 * 8 * 8, 3 * 8 * 2
MAC = FIRST + SECOND + HEAD
PARAMS = 4 * 8 + 8 * 8 + 8 * 2


def printed(capsys, model, shape=(3, 4), **options):
    get_model_profile(model, input_shape=shape, warm_up=0, **options)
    return capsys.readouterr().out


def test_the_readme_s_example_runs_with_its_import_changed(capsys):
    models = pytest.importorskip("torchvision.models")
    model = models.resnet18()
    batch_size = 1
    flops, macs, params = get_model_profile(
        model=model,
        input_shape=(batch_size, 3, 64, 64),
        args=None,
        kwargs=None,
        print_profile=True,
        detailed=True,
        module_depth=-1,
        top_modules=1,
        warm_up=1,
        as_string=True,
        output_file=None,
        ignore_modules=None,
        func_name="forward",
    )
    with torch.no_grad():
        counts = lt.count(model.eval(), torch.randn(batch_size, 3, 64, 64))
    assert flops == units.number_to_string(counts.total_flop)
    assert macs == units.macs_to_string(counts.mac) == "148.56 MMACs"
    assert params == "11.69 M"
    text = capsys.readouterr().out
    row = counts.by_module["layer1.0.conv1"]
    assert f"(conv1): Conv2d(36.86 k = 0.32% Params, {units.macs_to_string(row.mac)} = " in text
    assert "median of 5 runs after 2 runs of warm-up" in text
    assert list(map(text.find, LABELS)) == sorted(map(text.find, LABELS))
    assert all(label in text for label in LABELS)


LABELS = (
    "- Flops Profiler -",
    "Profile Summary at step 1:",
    "params per device:",
    "params of model = params per device * mp_size:",
    "fwd MACs per device:",
    "fwd flops per device:",
    "fwd flops of model = fwd flops per device * mp_size:",
    "fwd latency:",
    "fwd FLOPS per device = fwd flops per device / fwd latency:",
    "Aggregated Profile per Device",
    "depth 0:",
    "    params      - ",
    "    flops       - ",
    "    MACs        - ",
    "    fwd latency - ",
    "Detailed Profile per Device",
    "ResNet(",
)


def test_the_example_in_the_documents_prints_what_stands_there(capsys):
    """But for times and rates, which are of the machine that it ran on."""
    page = Path(__file__).parents[3] / "docs" / "counters.md"
    section = page.read_text(encoding="utf-8").split("## The profile of flops-profiler")[1]
    code, shown = re.findall(r"```(?:python|text)\n(.*?)```", section, re.S)[:2]
    exec(code, {})

    def masked(text):
        text = re.sub(r"[\d.e+]+ (s|ms|us)\b", "TIME", text)
        text = re.sub(r"[\d.]+ [TGMK]?FLOPS\b", "RATE", text)
        text = re.sub(r"(TIME = )[\d.]+%", r"\1SHARE", text)
        text = re.sub(r"(fwd latency - ).*", r"\1LARGEST", text)
        return re.sub(r" +", " ", text).strip()

    assert masked(capsys.readouterr().out) == masked(shown)


def test_every_module_has_its_own_numbers(capsys):
    text = printed(capsys, Small())
    assert f"  {PARAMS} = 100% Params, {MAC} MACs = 100% MACs, " in text
    assert f"(0): Linear(32 = 28.57% Params, {FIRST} MACs = 18.18% MACs, " in text
    assert f"(1): Linear(64 = 57.14% Params, {SECOND} MACs = 72.73% MACs, " in text
    assert "(again): Linear(the module at blocks.1, in_features=8" in text
    both = FIRST + SECOND
    assert re.search(rf"\(blocks\): ModuleList\(\n +96 = 85.71% Params, {both} MACs = ", text)


def test_times_of_modules_are_of_one_run_and_fit_into_each_other():
    profile = of(Small(), torch.randn(3, 4))
    model, blocks, head = profile.model, profile.model.children[0], profile.model.children[2]
    assert 0 < blocks.seconds + head.seconds <= model.seconds
    assert blocks.seconds == sum(block.seconds for block in blocks.children)
    assert sum(one.seconds for one in head.children) <= head.seconds
    assert profile.latency > 0


def of(model, *inputs, ignored=None, method="forward", **named):
    from laptime.compat.flops_profiler.call import profile_of

    return profile_of(model, None, inputs, named, ignored, method, 0, True)


def test_the_largest_classes_of_each_depth_are_listed(capsys):
    text = printed(capsys, Small(), detailed=False, top_modules=1)
    assert "Detailed" not in text
    assert "    MACs        - {'ModuleList': '480 MACs'}" in text  # not Sequential's 48
    assert f"    MACs        - {{'Linear': '{MAC} MACs'}}" in text  # of depth 2, all together
    assert "depth 2" in text
    assert "depth 1" not in printed(capsys, Small(), module_depth=1)
    assert "depth 9" not in printed(capsys, Small(), module_depth=10)


def test_a_file_has_what_would_be_printed(tmp_path, capsys):
    path = tmp_path / "below" / "profile.txt"
    assert printed(capsys, Small(), output_file=str(path)) == ""
    assert "fwd latency" in path.read_text(encoding="utf-8")


def test_another_method_is_counted_and_timed(capsys):
    profile = of(Small(), torch.randn(3, 4), method="generate", times=2)
    assert profile.model.mac == 2 * MAC
    assert profile.model.seconds >= profile.model.children[0].seconds
    with pytest.raises(ValueError, match=r"no method 'produce'.*mode='generate'"):
        get_model_profile(Small(), input_shape=(3, 4), mode="produce")


def test_ignored_modules_have_no_numbers_and_no_rate_is_made_of_the_rest(capsys):
    profile = of(Small(), torch.randn(3, 4), ignored=[nn.Sequential])
    assert profile.model.mac == MAC - HEAD
    assert profile.model.params == PARAMS
    assert profile.latency > 0
    assert profile.flop_per_s is None
    text = printed(capsys, Small(), ignore_modules=[nn.Sequential])
    assert "(head): Sequential(ignored)" in text
    assert "the modules around them have no FLOPS" in text
    with pytest.raises(ValueError, match="the class of the model itself"):
        get_model_profile(Small(), input_shape=(3, 4), ignore_modules=[Small])


def test_a_model_without_values_is_counted_and_not_timed(capsys):
    with torch.device("meta"):
        model = Small()
    text = printed(capsys, model)
    assert f"{MAC} MACs" in text
    assert re.search(r"^fwd latency: +–$", text, re.M)  # noqa: RUF001
    assert "absent, because blocks.0.weight has a shape and no values" in text


def test_a_model_that_fails_when_it_is_run_is_still_counted(capsys):
    class Fails(Small):
        def forward(self, x):
            if not torch._C._len_torch_dispatch_stack():  # it isn't being counted
                raise OSError("no such camera")
            return super().forward(x)

    text = printed(capsys, Fails())
    assert f"{MAC} MACs" in text
    assert "could not be run to be timed: OSError: no such camera" in text


def test_modules_that_others_run_for_have_no_latency(capsys):
    layer = nn.TransformerEncoderLayer(8, 2, 8, batch_first=True)
    text = printed(capsys, layer, (2, 3, 8))
    assert "– latency, – FLOPS, in_features=8, out_features=8" in text  # noqa: RUF001


class Writes(nn.Module):
    """Writes to what it has and to what it is given, at every call."""

    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4)
        self.table = nn.Embedding(5, 4, max_norm=0.1)
        self.linear = nn.Linear(4, 4)
        self.register_buffer("calls", torch.zeros(1))
        self.seen = []
        self.latest = None

    def forward(self, x):
        self.calls += 1
        self.seen.append(1)
        self.latest = x
        self.calls_again = 1
        self.linear.weight.data[0] += 1
        x.mul_(2)
        nn.functional.batch_norm(x, self.norm.running_mean, self.norm.running_var, training=True)
        noise = torch.rand_like(x) + random.random()
        return self.linear(self.norm(x) + noise) + self.table(torch.arange(len(x)))


def test_nothing_of_a_model_or_its_input_changes_when_it_is_timed():
    model, x = Writes(), torch.randn(3, 4)
    hook = model.linear.register_forward_hook(lambda *_: None)
    model.norm.eval()
    nn.functional.mse_loss(model.linear(x), x).backward()
    before = state(model, x)
    get_model_profile(model, args=[x], warm_up=1)
    after = state(model, x)
    assert before.keys() == after.keys()
    for name, value in before.items():
        same = torch.equal(value, after[name]) if torch.is_tensor(value) else value == after[name]
        assert same, name
    hook.remove()


def test_weights_that_change_and_are_too_many_to_be_copied_are_named(capsys, monkeypatch):
    monkeypatch.setattr("laptime.world.contents.MOST_COPIED", 0)
    text = printed(capsys, Writes())
    assert (
        "warning: The model changes its weights when it is called: calls, norm.running_mean, "
        in text
    )


def state(model, x):
    """All that a run could change, copied."""
    found = {name: value.clone() for name, value in model.state_dict().items()}
    found |= {f"{name}.grad": p.grad for name, p in model.named_parameters() if p.grad is not None}
    found |= {f"{path}.training": one.training for path, one in model.named_modules()}
    found |= {f"{path}.names": sorted(vars(one)) for path, one in model.named_modules()}
    found |= {f"{path}.hooks": list(one._forward_hooks) for path, one in model.named_modules()}
    found |= {"seen": list(model.seen), "latest": model.latest, "x": x.clone()}
    return found | {"rng": torch.get_rng_state(), "random": random.getstate()}


def test_an_argument_that_grows_is_a_fresh_one_in_each_run(capsys):
    class Grows(nn.Module):
        def forward(self, x, cache):
            cache.append(x)
            print("held", len(cache))  # a list of ours would be put back
            return sum(cache)

    of(Grows(), torch.randn(2), [])
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith("held")]
    assert len(said) > 1
    assert set(said) == {"held 1"}


def test_numbers_are_written_as_each_package_does():
    assert units.number_to_string(2_500_000) == deepspeed.number_to_string(2_500_000) == "2.5 M"
    assert units.number_to_string(12) == deepspeed.number_to_string(12) == "12 "
    assert units.macs_to_string(4_089_000_000) == "4.09 GMACs"
    assert units.macs_to_string(4_089_000_000, units="MMACs", precision=0) == "4089.0 MMACs"
    assert units.flops_to_string(1.83e12) == deepspeed.flops_to_string(1.83e12) == "1.83 TFLOPS"
    assert units.params_to_string(590_590) == "590.59 k"
    assert deepspeed.params_to_string(7_000_000_000) == "7 B"
    assert [units.duration_to_string(s) for s in (2.5, 0.01222, 4.586e-5)] == [
        "2.5 s",
        "12.22 ms",
        "45.86 us",
    ]
    assert deepspeed.duration_to_string(0.5) == "500 ms"
    assert units.duration_to_string(0.5, units="us") == "500000.0 us"
    assert deepspeed.bytes_to_string(2048) == "2.05 KB"


def test_defaults_are_those_of_the_package_that_is_replaced(capsys):
    def defaults(function):
        found = inspect.signature(function).parameters.values()
        return {one.name: one.default for one in found if one.default is not one.empty}

    common = {
        "input_shape": None,
        "args": (),
        "kwargs": None,
        "print_profile": True,
        "detailed": True,
        "module_depth": -1,
        "output_file": None,
        "ignore_modules": None,
    }
    own = {"top_modules": 10, "warm_up": 3, "as_string": False, "func_name": "forward"}
    assert defaults(get_model_profile) == common | own | {"mode": None}
    theirs = {"top_modules": 1, "warm_up": 1, "as_string": True, "mode": "forward"}
    assert defaults(deepspeed.get_model_profile) == common | theirs
    for profiler in (flops_profiler.FlopsProfiler, deepspeed.FlopsProfiler):
        assert defaults(profiler) == {"ds_engine": None, "recompute_fwd_factor": 0.0}
        assert defaults(profiler.print_model_profile) == {
            "profile_step": 1,
            "module_depth": -1,
            "top_modules": 1,
            "detailed": True,
            "output_file": None,
        }
    assert deepspeed.get_model_profile(Small(), (3, 4)) == ("1.06 K", "528 MACs", "112")
    assert "- DeepSpeed Flops Profiler -" in capsys.readouterr().out
