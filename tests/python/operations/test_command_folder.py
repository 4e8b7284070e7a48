"""`laptime ops` in a folder of somebody else's: what lies there is counted, never run."""

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

#: Leaves its name when it is imported, by whatever name.
TRAP = """
import os
open(os.path.join({folder!r}, "sprung"), "a").write(__name__ + "\\n")
"""
#: What an installed Laptime, the frameworks and an interpreter's start import.
OTHERS = {"torch", "torchvision", "transformers", "numpy", "jax", "laptime", "linecache"}
OTHERS |= {"packaging", "PIL", "huggingface_hub", "sitecustomize", "usercustomize"}


@pytest.fixture
def trapped(tmp_path):
    """A folder with a trap for every module that could be imported."""
    for name in OTHERS | set(sys.stdlib_module_names):
        (tmp_path / f"{name}.py").write_text(TRAP.format(folder=str(tmp_path)))
    gpt2 = {"model_type": "gpt2", "n_layer": 1, "n_positions": 8}
    (tmp_path / "config.json").write_text(json.dumps(gpt2))
    return tmp_path


#: The command as cargo's program is: no interpreter has started in the folder before it.
COMMAND = """
import os, sys
from laptime._core import run_cli
os.environ |= dict(pair.split("=", 1) for pair in sys.argv[1].split("\\n") if pair)
os.environ["LAPTIME_PYTHON"] = sys.executable
sys.exit(run_cli(["laptime", "ops", *sys.argv[2:], "--json"]))
"""


def ops(folder: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LAPTIME")}
    pairs = "\n".join(f"{name}={value}" for name, value in environment.items())
    return subprocess.run(
        [sys.executable, "-I", "-c", COMMAND, pairs, *arguments],
        cwd=folder,
        env=kept | {"XDG_CACHE_HOME": str(folder)},
        capture_output=True,
        text=True,
    )


def sprung(folder: Path) -> str:
    file = folder / "sprung"
    return file.read_text() if file.exists() else ""


@pytest.mark.parametrize(("target", "needs"), [("resnet18", "torchvision"), ("config.json", None)])
def test_a_file_of_the_folder_is_not_imported(trapped, target, needs):
    pytest.importorskip(needs or "transformers")
    left = ops(trapped, target)
    assert (sprung(trapped), left.returncode) == ("", 0), left.stderr
    assert json.loads(left.stdout)["total"]["mac"] > 0


@pytest.mark.parametrize("places", [":", ".", "nowhere:.", "./../{name}", "/nowhere::"])
def test_relative_places_of_the_environment_are_no_places_to_import_from(trapped, places):
    left = ops(trapped, "math:sqrt", PYTHONPATH=places.format(name=trapped.name))
    # `math` is the interpreter's own: nothing but its call is left to fail.
    assert sprung(trapped) == "", left.stderr
    assert "no input was given" in left.stderr


def test_the_folder_is_a_place_for_a_factory_and_shadows_nothing(trapped):
    for name in OTHERS | set(sys.stdlib_module_names):
        if name == "__main__" or importlib.util.find_spec(name) is None:
            # Of another system, or not installed: nothing that could be shadowed.
            (trapped / f"{name}.py").unlink()
    factory = "import torch\ndef net(): return torch.nn.Linear(8, 16)\n"
    (trapped / "net_of_mine.py").write_text(factory)
    left = ops(trapped, "net_of_mine:net", "-i", "2,8")
    assert (sprung(trapped), left.returncode) == ("", 0), left.stderr
    assert json.loads(left.stdout)["total"]["mac"] == 2 * 8 * 16


def test_relative_places_of_the_environment_have_factories_too(tmp_path):
    (tmp_path / "src").mkdir()
    factory = "import torch\ndef net(): return torch.nn.Linear(8, 16)\n"
    (tmp_path / "src" / "net_of_mine.py").write_text(factory)
    left = ops(tmp_path, "net_of_mine:net", "-i", "2,8", PYTHONPATH="src")
    assert left.returncode == 0, left.stderr


def test_absolute_places_of_the_environment_stay_the_users(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "torchvision.py").write_text("raise ModuleNotFoundError(name='chosen')")
    assert "'chosen'" in ops(tmp_path, "resnet18", PYTHONPATH=str(elsewhere)).stderr


def test_a_module_that_an_installed_one_hides_is_named(tmp_path):
    (tmp_path / "packaging.py").write_text("def net(): ...\n")
    left = ops(tmp_path, "packaging:net", "-i", "1")
    assert left.returncode == 1
    assert "packaging has no attribute 'net'" in left.stderr
    assert "an installed module of that name hides the one in the current folder" in left.stderr


@pytest.mark.parametrize(
    ("named", "code"),
    [
        ({"model_type": "gpt2"}, 0),
        ({"model_type": "gpt2", "_attn_implementation": "somebody/kernel"}, 0),
        ({"model_type": "gpt2", "architectures": ["pipeline"]}, 0),
        ({"model_type": "mine"}, 1),
    ],
)
def test_a_configuration_runs_no_code_that_it_names(tmp_path, named, code):
    pytest.importorskip("transformers")
    trap = TRAP.format(folder=str(tmp_path))
    (tmp_path / "mine.py").write_text(trap + "class Config: ...\nclass Net: ...\n")
    own = {"AutoConfig": "mine.Config", "AutoModel": "mine.Net"}
    config = {"n_layer": 1, "n_positions": 8, "auto_map": own} | named
    (tmp_path / "config.json").write_text(json.dumps(config))
    left = ops(tmp_path, "config.json")
    # A kernel that is named is not even looked for: it would be an error without its package.
    assert (sprung(tmp_path), left.returncode) == ("", code), left.stderr


def test_an_exported_program_is_loaded_only_where_it_is_trusted(tmp_path):
    import zipfile

    # What a pickle runs when it is loaded.
    run = b"cos\nsystem\n(S'touch sprung'\ntR."
    with zipfile.ZipFile(tmp_path / "net.pt2", "w") as made:
        made.writestr("archive/data.pkl", run)
    left = ops(tmp_path, "net.pt2")
    assert (left.returncode, left.stdout, sprung(tmp_path)) == (2, "", "")
    error, hint = left.stderr.splitlines()
    assert "can run any code that is in it" in error
    assert "laptime ops net.pt2 --trust" in hint


@pytest.mark.parametrize("name", ["net.pt", "net.pth", "net.ckpt", "net.safetensors", "net.bin"])
def test_a_file_of_weights_is_refused_unread(tmp_path, name):
    (tmp_path / name).write_bytes(b"cos\nsystem\n(S'touch sprung'\ntR.")
    left = ops(tmp_path, name)
    assert (left.returncode, left.stdout, sprung(tmp_path)) == (2, "", "")
    assert "holds weights, not the model" in left.stderr
