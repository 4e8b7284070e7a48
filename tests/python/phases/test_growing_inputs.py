"""Inputs that grow from call to call in real programs of PyTorch, and those whose inputs don't."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

MODEL = """
import torch
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)

class Model(nn.Module):
    def __init__(self, width=64):
        super().__init__()
        self.embed = nn.Embedding(256, width)
        self.mix = nn.TransformerEncoderLayer(width, 4, 4 * width, batch_first=True)
        self.head = nn.Linear(width, 256)

    def forward(self, tokens, cache=None, attention_mask=None):
        x = self.mix(self.embed(tokens))
        if cache is not None:
            cache = torch.cat([cache, x], 1)
            x = x + cache.mean(1, keepdim=True)
        return self.head(x[:, -1]), cache

model = Model()

def train(batches):
    adam = torch.optim.Adam(model.parameters())
    for tokens in batches:
        adam.zero_grad()
        model(tokens)[0].square().mean().backward()
        adam.step()

def of_length(length, rows=2):
    return torch.randint(256, (rows, length))
"""

GENERATES = """
@torch.no_grad()
def generate(tokens, count):
    for _ in range(count):
        new = model(CALL)[0].argmax(-1, keepdim=True)
        tokens = torch.cat([tokens, new], 1)

generate(of_length(12, 1), 300)
"""

CACHED = """
@torch.no_grad()
def generate(tokens, count):
    cache = torch.zeros(1, 0, 64)
    mask = torch.ones(1, 12)
    for _ in range(count):
        new, cache = model(tokens, cache=cache, attention_mask=mask)
        tokens = new.argmax(-1, keepdim=True)
        mask = torch.cat([mask, torch.ones(1, 1)], 1)

generate(of_length(12, 1), 300)
"""

STAGES = "train(of_length(length) for length in (16, 64, 256) for _ in range(40))"
RANDOM = """
import random
random.seed(1)
train(of_length(random.randrange(16, 256)) for _ in range(120))
"""

PICTURES = """
import torch
from torch import nn

torch.set_num_threads(1)
model = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.ReLU(), nn.AdaptiveAvgPool2d(1))
adam = torch.optim.Adam(model.parameters())
for side in (32, 64, 128):
    for _ in range(40):
        adam.zero_grad()
        model(torch.randn(8, 3, side, side)).square().mean().backward()
        adam.step()
"""


def growing(folder: Path, code: str) -> list[dict[str, Any]]:
    """What a run without an option says of inputs that grow."""
    (folder / "program.py").write_text(code)
    laptime = [sys.executable, "-m", "laptime"]
    words = ["run", "-o", "program.lap", "program.py"]
    subprocess.run([*laptime, *words], cwd=folder, check=True, capture_output=True, timeout=300)
    words = ["report", "-f", "json", "program.lap"]
    report = subprocess.run(
        [*laptime, *words], cwd=folder, check=True, capture_output=True, timeout=100
    )
    found = json.loads(report.stdout)["findings"]
    return [one["evidence"] for one in found if one["kind"] == "growing-inputs"]


@pytest.mark.parametrize("call", ["tokens", "tokens=tokens", "*[tokens]"])
def test_a_generation_without_a_cache_is_told_with_its_place(tmp_path: Path, call: str) -> None:
    code = MODEL + GENERATES.replace("CALL", call)
    (found,) = growing(tmp_path, code)
    assert found["generates"]
    assert (found["from_tokens"], found["to_tokens"]) == (12, 311)
    line = 1 + code[: code.index("new = model(")].count("\n")
    assert found["site"]["function"] == "generate"
    assert found["site"]["file"].endswith("program.py")
    assert found["site"]["line"] == line


def test_a_batch_in_a_dictionary_is_looked_into(tmp_path: Path) -> None:
    code = MODEL.replace("self.embed(tokens)", "self.embed(tokens['input_ids'])")
    (found,) = growing(tmp_path, code + GENERATES.replace("CALL", "{'input_ids': tokens}"))
    assert found["to_tokens"] == 311


def test_stages_of_a_curriculum_are_stated_without_advice_for_a_cache(tmp_path: Path) -> None:
    (found,) = growing(tmp_path, MODEL + STAGES)
    assert not found.get("generates")
    assert (found["from_tokens"], found["to_tokens"]) == (16, 256)


def test_pictures_that_grow_are_told_by_their_sizes(tmp_path: Path) -> None:
    (found,) = growing(tmp_path, PICTURES)
    assert found["from_sizes"] == [8, 3, 32, 32]
    assert found["to_sizes"] == [8, 3, 128, 128]
    assert "from_tokens" not in found


@pytest.mark.parametrize("program", [CACHED, RANDOM], ids=["a cache", "random lengths"])
def test_other_programs_say_nothing_of_their_inputs(tmp_path: Path, program: str) -> None:
    assert growing(tmp_path, MODEL + program) == []


def test_what_others_would_see_is_not_asked(tmp_path: Path) -> None:
    """A mode of torch's and a trace see the calls that they saw without Laptime."""
    code = (
        MODEL
        + """
from torch.overrides import TorchFunctionMode

asked = []

class Sees(TorchFunctionMode):
    def __torch_function__(self, function, types, args=(), kwargs=None):
        asked.append(getattr(function, "__name__", str(function)))
        return function(*args, **(kwargs or {}))

class Net(nn.Module):
    def forward(self, x):
        return x + 1

net = Net()
with Sees():
    net(torch.ones(3))
graph = str(torch.jit.trace(net, torch.ones(4), check_trace=False).graph)
print(asked.count("__get__"), "size" in graph)
"""
    )
    (tmp_path / "program.py").write_text(code)
    words = [sys.executable, "-m", "laptime", "run", "-o", "program.lap", "program.py"]
    done = subprocess.run(
        words, cwd=tmp_path, check=True, capture_output=True, text=True, timeout=300
    )
    assert "0 False" in done.stdout
