"""`laptime ops` with real models: what it finds, builds, counts and says."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

MODELS = """
import sys
import torch
from torch import nn

print("noise of the module")


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(8, 16)
        self.second = nn.Linear(16, 4)

    def forward(self, x, mask=None):
        y = self.first(x).relu()
        return self.second(y if mask is None else y * mask)


def build():
    print("noise of the factory")
    sys.stdout.flush()
    return Net()


class Branches(Net):
    def forward(self, x):
        return super().forward(x if x.sum() > 1 else x + 1)


class Wide(nn.Module):
    def __init__(self, width):
        super().__init__()


class Own(nn.Module):
    def forward(self, x):
        return torch.ops.mine.odd(x)


@torch.library.custom_op("mine::odd", mutates_args=())
def odd(x: torch.Tensor) -> torch.Tensor:
    return x.clone()


@odd.register_fake
def _(x):
    return torch.empty_like(x)


model = Net()
number = 3


def product(a, b):
    return a @ b


def broken():
    return nn.Linear(8, "16")
"""
MAC = 2 * (8 * 16 + 16 * 4)


# `python -m laptime`, with another interpreter to start than its own.
COMMAND = (
    "import sys; from laptime._core import run_cli; sys.exit(run_cli(['laptime', *sys.argv[1:]]))"
)


@pytest.fixture
def ops(tmp_path, warm):
    """Runs the command where `models.py` is; its exit code, output and messages."""
    (tmp_path / "models.py").write_text(MODELS)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LAPTIME")}
    environment = kept | {"XDG_CACHE_HOME": str(tmp_path), "LAPTIME_PYTHON": str(warm.python)}

    def run(
        *arguments: str, command: tuple[str, ...] = ("-c", COMMAND), **more: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *command, "ops", *arguments],
            cwd=tmp_path,
            env=environment | more,
            capture_output=True,
            text=True,
        )

    return run


def counted(left: subprocess.CompletedProcess[str]) -> dict:
    assert left.returncode == 0, left.stderr
    return json.loads(left.stdout)


def test_a_factory_is_built_without_weights_and_its_noise_is_a_message(ops):
    # In an interpreter that it starts itself.
    left = ops("models:build", "--input", "2,8", "--json", command=("-m", "laptime"))
    counts = counted(left)
    assert counts["total"]["mac"] == MAC
    assert counts["params"] == 8 * 16 + 16 + 16 * 4 + 4
    assert counts["name"] == "models:build"
    assert "without weights in memory" in counts["how"]
    assert "noise of the module" in left.stderr
    assert "noise of the factory" in left.stderr


@pytest.mark.parametrize("target", ["models:Net", "models:model"])
def test_a_class_and_a_model_are_targets_too(ops, target):
    assert counted(ops(target, "--input", "2,8", "--json"))["total"]["mac"] == MAC


def test_a_function_is_counted_as_it_is(ops):
    counts = counted(ops("models:product", "-i", "3,4", "-i", "4,5", "--json"))
    assert counts["total"]["mac"] == 3 * 4 * 5
    assert counts["params"] is None


def test_arguments_by_name_reach_the_model(ops):
    with_mask = ops("models:build", "-i", "2,8", "--kwarg", "mask=2,16:bool", "--json")
    names = [row["name"] for row in counted(with_mask)["by_op"]]
    assert "aten::mul" in names


def test_a_backward_is_counted_in_training_mode(ops):
    counts = counted(ops("models:build", "-i", "2,8", "--backward", "--json"))
    # The input needs no gradient: the first layer has dW alone.
    assert counts["total"]["by_phase"]["backward"]["mac"] == 2 * (8 * 16 + 2 * 16 * 4)
    assert "in training mode" in counts["how"]


def test_control_flow_that_depends_on_data_is_counted_with_real_tensors_and_said(ops):
    counts = counted(ops("models:Branches", "-i", "700,8", "--json"))
    assert counts["total"]["mac"] == 350 * MAC
    assert "with weights in memory, since" in counts["how"]
    assert "on inputs of zeros, which decide what runs" in counts["how"]
    left = ops("models:Branches", "-i", "700,8", "--mode", "fake")
    assert left.returncode == 1
    assert left.stderr.endswith("hint: leave out --mode fake: real tensors have values\n")


def test_an_input_of_any_size_needs_no_memory(ops):
    counts = counted(ops("models:Net", "-i", "1000000000000,8", "--json"))
    assert counts["total"]["mac"] == 10**12 * (8 * 16 + 16 * 4)
    assert "zeros" not in counts["how"]


def test_what_is_not_counted_is_listed_and_no_error(ops):
    left = ops("models:Own", "-i", "2,8")
    assert left.returncode == 0
    assert "coverage 0.0 %" in left.stdout
    assert "not counted\n" in left.stdout
    assert "mine::odd" in left.stdout


def test_wrong_shapes_are_told_in_the_frameworks_own_words(ops):
    left = ops("models:build", "-i", "2,9")
    assert (left.returncode, left.stdout) == (1, "")
    last, hint = left.stderr.splitlines()[-2:]
    assert last.startswith("laptime: error: RuntimeError: ")
    assert "2x9 and 8x16" in last
    assert hint.startswith("hint: raised below models.py:")
    assert "Traceback" not in left.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "message", "hint"),
    [
        (["models:build"], 2, "no input was given", "--input 1,3,224,224"),
        (["models:built", "-i", "1"], 1, "no attribute 'built'", "did you mean build"),
        (["nowhere:net", "-i", "1"], 1, "no module named 'nowhere'", "current folder"),
        (["models:number", "-i", "1"], 1, "neither a model nor makes one", None),
        (["models:Wide", "-i", "1"], 1, "argument: 'width'", "a function of your own"),
        (["models:broken", "-i", "1,8"], 1, "TypeError", "raised below models.py:"),
        (["models:build", "-i", "2,8:floaty"], 2, "floaty is no type of torch", "float32"),
    ],
)
def test_what_goes_wrong_has_a_way_out(ops, arguments, code, message, hint):
    left = ops(*arguments)
    assert (left.returncode, left.stdout) == (code, "")
    said = left.stderr.splitlines()
    error = next(line for line in said if line.startswith("laptime: error: "))
    assert message in error
    if hint is not None:
        assert hint in said[-1]
        assert said[-1].startswith("hint: ")


def test_a_torchvision_model_is_counted_by_its_name(ops):
    pytest.importorskip("torchvision")
    counts = counted(ops("resnet50", "--json"))
    assert counts["total"]["mac"] == 4_089_184_256
    assert counts["params"] == 25_557_032
    assert counts["inputs"] == [
        "1\N{MULTIPLICATION SIGN}3\N{MULTIPLICATION SIGN}224\N{MULTIPLICATION SIGN}224 float32"
    ]
    left = ops("resnet5O")
    assert left.returncode == 1
    assert "hint: did you mean resnet50" in left.stderr


def test_a_configuration_of_transformers_is_counted_without_weights(ops, tmp_path):
    pytest.importorskip("transformers")
    gpt2 = {"model_type": "gpt2", "architectures": ["GPT2LMHeadModel"]}
    (tmp_path / "config.json").write_text(json.dumps(gpt2))
    counts = counted(ops("config.json", "--seq", "512", "--json"))
    assert counts["total"]["mac"] == 68_080_238_592
    assert counts["name"] == "GPT2LMHeadModel"
    (tmp_path / "config.json").write_text('{"model_type": "nonesuch"}')
    left = ops("config.json")
    assert left.returncode == 1
    assert "nonesuch" in left.stderr


def test_an_exported_program_is_counted_with_the_inputs_it_was_exported_with(ops, tmp_path):
    linear = torch.nn.Linear(8, 16)
    program = torch.export.export(linear, (torch.zeros(2, 8),))
    torch.export.save(program, tmp_path / "linear.pt2")
    assert counted(ops("linear.pt2", "--trust", "--json"))["total"]["mac"] == 2 * 8 * 16
    (tmp_path / "damaged.pt2").write_bytes(b"no archive")
    left = ops("damaged.pt2", "--trust")
    assert left.returncode == 1
    assert "damaged.pt2 cannot be read as an exported program" in left.stderr


@pytest.mark.parametrize("missing", ["torchvision", "transformers"])
def test_a_package_that_is_missing_is_named_with_how_to_install_it(ops, tmp_path, missing):
    (tmp_path / "places").mkdir()
    (tmp_path / "places" / f"{missing}.py").write_text(
        f"raise ModuleNotFoundError('no {missing}', name={missing!r})"
    )
    (tmp_path / "config.json").write_text('{"model_type": "gpt2"}')
    target = "config.json" if missing == "transformers" else "resnet50"
    # In an interpreter that it starts itself: the others have imported both.
    left = ops(target, command=("-m", "laptime"), PYTHONPATH=str(tmp_path / "places"))
    assert left.returncode == 1
    assert f"needs '{missing}'" in left.stderr
    assert "-m pip install torch" in left.stderr.splitlines()[-1]


def test_a_page_has_both_tables_and_is_written_by_its_ending(ops, tmp_path):
    left = ops("models:build", "-i", "2,8", "-o", "counts.html")
    assert (left.returncode, left.stdout) == (0, "")
    page = Path(tmp_path, "counts.html").read_text()
    assert "by module" in page
    assert "by operator" in page


def test_a_name_that_is_not_there_is_answered_with_those_that_are(ops, tmp_path):
    (tmp_path / "mine.py").write_text(
        "from math import sqrt\ndef make(): ...\nclass Net: ...\nx = 3\n"
    )
    (tmp_path / "empty.py").write_text("x = 3\n")
    left = ops("mine:zzz")
    assert left.returncode == 1
    assert left.stderr.endswith("hint: mine has Net, make\n")
    left = ops("empty:zzz")
    assert "nothing in empty can be called" in left.stderr
