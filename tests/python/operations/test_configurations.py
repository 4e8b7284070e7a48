"""`laptime ops config.json` with what nobody would write: it ends, by counts or a clear error.

A configuration may come from anybody. It opens no other file, and a small one can't take long.
"""

import json
import os
import random
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")

from laptime.operations.command import budget, configuration_file
from laptime.operations.command.budget import Bounds, Budget
from laptime.operations.command.configuration_file import ConfigurationFile
from laptime.operations.command.request import Failure

#: What stands for a number.
EXTREMES = [0, -1, 1, 3, 10**5, 10**9, 2**31, 2**63, 10**30, 0.5, 1e308, float("inf"), True, None]
EXTREMES += ["12", "", [], [10**9], {"a": 1}]
SIZES = {"hidden_size": 32, "intermediate_size": 32, "num_hidden_layers": 1}
SIZES |= {"num_attention_heads": 2, "vocab_size": 64}
#: Small models by type, with each number that is changed.
MODELS = {
    "llama": SIZES | {"num_key_value_heads": 2, "max_position_embeddings": 16, "num_labels": 2},
    "bert": SIZES | {"max_position_embeddings": 16, "type_vocab_size": 2, "pad_token_id": 0},
    "gpt2": {"n_embd": 32, "n_layer": 1, "n_head": 2, "n_positions": 16, "vocab_size": 64},
    "vit": SIZES | {"image_size": 32, "patch_size": 16, "num_channels": 3},
    "swin": {"embed_dim": 8, "depths": [1, 1], "num_heads": [2, 2], "image_size": 32}
    | {"window_size": 4, "patch_size": 4, "mlp_ratio": 4.0, "num_channels": 3},
}
#: What names a checkpoint in `FOLDER`, or somebody's code, and whether it can do without.
NAMED = [
    ({"model_type": "gpt2", "_name_or_path": "FOLDER"}, True),
    ({"model_type": "gpt2", "quantization_config": {"quant_method": "gptq"}}, True),
    ({"model_type": "gpt2", "auto_map": {"AutoConfig": "m.C", "AutoModel": "FOLDER--m.M"}}, True),
    ({"model_type": "detr", "backbone": "FOLDER", "use_timm_backbone": False}, False),
    ({"model_type": "upernet", "backbone": "folder", "use_pretrained_backbone": True}, False),
    ({"model_type": "encoder-decoder", "encoder": {"_name_or_path": "FOLDER"}}, False),
]


@pytest.fixture(scope="module")
def answered(tmp_path_factory, warm):
    """Answers cases, with what each of them opened."""
    folder = tmp_path_factory.mktemp("configurations")
    checkpoint = folder / "folder"
    checkpoint.mkdir()
    (checkpoint / "config.json").write_text('{"model_type": "resnet"}')
    for name in ("model.safetensors", "pytorch_model.bin", "m.py"):
        (checkpoint / name).write_text("x")
    script = Path(__file__).with_name("configuration_cases.py")

    def answer(texts: list[str]) -> list[dict]:
        texts = [text.replace("FOLDER", str(checkpoint)) for text in texts]
        kept = {k: v for k, v in os.environ.items() if not k.startswith("LAPTIME")}
        left = subprocess.run(
            [warm.python, str(script), str(folder)],
            input="".join(f"{json.dumps(text)}\n" for text in texts),
            env=kept,
            capture_output=True,
            text=True,
            check=True,
        )
        answers = [json.loads(line) for line in left.stdout.splitlines()]
        assert len(answers) == len(texts), left.stderr
        for text, one in zip(texts, answers):
            assert set(one["opened"]) <= {str(folder / "config.json")}, (text, one)
            is_counted(text, one)
        return answers

    return answer


def is_counted(text: str, one: dict) -> bool:
    """Whether there are counts; else there is an error of a line that names the file."""
    answer = one["answer"]
    assert answer is not None, (text, one)
    if "total" in answer:
        return True
    assert "\n" not in answer["error"], (text, answer)
    assert len(answer["error"]) < 700
    assert "config.json" in answer["error"] or "configuration" in answer["error"], (text, answer)
    assert answer["hint"], (text, answer)
    return False


def test_whatever_a_number_is_it_ends_and_nothing_else_is_opened(answered, request):
    cases = [
        json.dumps({"model_type": kind} | sizes | {field: value})
        for kind, sizes in MODELS.items()
        for field in sizes
        for value in EXTREMES
    ]
    whole = [json.dumps({"model_type": kind} | sizes) for kind, sizes in MODELS.items()]
    if not request.config.getoption("--all"):
        cases = random.Random(7).sample(cases, 25)
    named = [json.dumps(config) for config, _ in NAMED]
    layers = json.dumps({"model_type": "llama"} | MODELS["llama"] | {"num_hidden_layers": 9999})
    *answers, endless = answered([*whole, *named, *cases, layers])
    said = endless["answer"]["error"]
    assert "the number of its modules and parameters exceeds 2,621" in said
    assert "package.module:factory" in endless["answer"]["hint"]
    assert all("total" in one["answer"] for one in answers[: len(whole)]), answers[: len(whole)]
    for (config, goes), one in zip(NAMED, answers[len(whole) :]):
        assert ("total" in one["answer"]) == goes, (config, one)
    said = answers[len(whole) + 3]["answer"]["error"]
    assert "names a checkpoint, which isn't looked for: backbone = " in said


@pytest.mark.parametrize(
    ("bounds", "said"),
    [
        (Bounds(1, 1 << 40, 0.1), "the time that its model takes exceeds 0.1 s of processor time"),
        (Bounds(1, -1, 100), "the memory that its model takes exceeds -9.31e-10 GiB"),
    ],
)
def test_a_loop_without_end_is_stopped_with_an_answer(monkeypatch, bounds, said):
    def stop(failure):
        raise failure  # the command's process ends here

    monkeypatch.setattr(budget, "_end_by", [stop])
    refused = ConfigurationFile(Path("config.json"), {}).refused
    with pytest.raises(Failure, match=re.escape(said)), Budget(bounds, refused).kept():
        while True:
            pass


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"num_hidden_layers": 1000000000}', "num_hidden_layers = 1000000000 exceeds 10,000"),
        ('{"text_config": {"n_layer": 10001}}', "text_config.n_layer = 10001 exceeds 10,000"),
        ('{"depths": [2, 1000000000]}', "depths = 1000000000 exceeds 10,000"),
        ('{"num_labels": 1000000000}', "num_labels = 1000000000 exceeds 1,000,000"),
        ('{"n_layer": 1' + "0" * 100 + "}", "n_layer = 100… (101 digits) exceeds 10,000"),
        ('{"a": 1' + "0" * 5000 + "}", "a number has too many digits"),
        ('{"a":' * 65 + "1" + "}" * 65, "its nesting exceeds 64 levels"),
        ("[" * 10**6, "its nesting exceeds 64 levels"),
        ('{"a": NaN}', "it holds NaN, which is no number"),
        ('{"a": 1, "b": {"c": 1, "c": 2}}', "it has c twice"),
        ("", "is no JSON: Expecting value at line 1, column 1"),
    ],
)
def test_a_file_out_of_bounds_is_refused_with_its_field_and_the_bound(tmp_path, text, said):
    path = tmp_path / "config.json"
    path.write_text(text)
    with pytest.raises(Failure, match=re.escape(said)) as left:
        ConfigurationFile.read(str(path))
    assert str(path) in str(left.value)
    assert left.value.hint


def test_what_usual_configurations_have_is_no_error(tmp_path, monkeypatch):
    path = tmp_path / "config.json"
    usual = '{"time_step_limit": [0.0, Infinity], "max_depth": 80000, "vocab_size": 256000}'
    path.write_text(usual)
    assert ConfigurationFile.read(str(tmp_path)).content["vocab_size"] == 256000
    monkeypatch.setattr(configuration_file, "MOST_BYTES", len(usual) - 1)
    with pytest.raises(Failure, match="its length exceeds"):
        ConfigurationFile.read(str(path))


def test_the_system_sees_no_other_file_opened_and_no_connection(tmp_path, request):
    """The same by the kernel's word, which knows of code that isn't Python's too."""
    strace = shutil.which("strace")
    if not request.config.getoption("--all") or strace is None:
        pytest.skip("takes a minute, and strace; run it with --all")
    (tmp_path / "ck").mkdir()
    (tmp_path / "ck" / "config.json").write_text("{}")
    config = {"model_type": "gpt2", "n_layer": 1, "n_positions": 8, "_name_or_path": "ck"}
    (tmp_path / "config.json").write_text(json.dumps(config))
    trace = tmp_path / "trace"
    command = [strace, "-f", "-e", "trace=open,openat,connect", "-o", str(trace), sys.executable]
    kept = {k: v for k, v in os.environ.items() if not k.startswith("LAPTIME")}
    left = subprocess.run(
        [*command, "-P", "-m", "laptime", "ops", "config.json"],
        cwd=tmp_path,
        env=kept | {"HF_HOME": str(tmp_path / "hub")},
        capture_output=True,
        text=True,
    )
    assert left.returncode == 0, left.stderr
    lines = [line for line in trace.read_text().splitlines() if " = -1 " not in line]
    assert not [line for line in lines if "connect(" in line]
    opened = {path for line in lines for path in re.findall(r'open(?:at)?\([^"]*"([^"]+)"', line)}
    assert not {path for path in opened if path.startswith((str(tmp_path), "ck", "hub"))} - {
        "config.json",
        str(tmp_path / "config.json"),
    }
