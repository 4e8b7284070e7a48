"""What `laptime ops` says to type instead, where a model raises at what was typed."""

import json
import sys
import types

import pytest

torch = pytest.importorskip("torch")
nn = torch.nn

from laptime.operations.command import answer
from laptime.operations.command.request import Failure, Input, Request


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(100, 16)

    def forward(self, idx):
        return self.words(idx)


class Image(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(3, 8, 3)

    def forward(self, x):
        return self.first(x).mean((2, 3))


class Batch(nn.Linear):
    def forward(self, batch):
        return super().forward(batch["x"])


class Pair(nn.Linear):
    def forward(self, x, mask):
        return super().forward(x) * mask


def make(width):
    return nn.Linear(width, 4)


class ByName(nn.Linear):
    def forward(self, *, x):
        return super().forward(x)


@pytest.fixture
def told(monkeypatch):
    """The error and the hint of a target that can't be counted."""
    made = types.ModuleType("models_of_mine")
    kinds = {"Words": Words, "Image": Image, "Batch": Batch, "Pair": Pair, "ByName": ByName}
    vars(made).update(
        {
            name: kind() if name in ("Words", "Image") else (lambda kind=kind: kind(8, 4))
            for name, kind in kinds.items()
        }
    )
    made.make = make
    monkeypatch.setitem(sys.modules, "models_of_mine", made)

    def tell(target, *inputs, kwargs=(), kind="factory"):
        target = f"models_of_mine:{target}" if kind == "factory" else str(target)
        inputs = [Input(sizes, None) for sizes in inputs]
        kwargs = [Input(sizes, None, label) for label, sizes in kwargs]
        request = Request(kind, target, inputs, kwargs, None, False, "auto", False)
        with pytest.raises(Exception) as left:
            answer.counted(request)
        error = left.value
        failure = error if isinstance(error, Failure) else answer.told(error)
        return str(failure), failure.hint

    return tell


def test_an_embedding_is_given_whole_numbers(told):
    error, hint = told("Words", [4, 128])
    assert "indices" in error
    assert hint.endswith("write --input 4,128:int64")
    assert told("Words", kwargs=[("idx", [4])])[1].endswith("write --kwarg idx=4:int64")


def test_a_model_of_images_is_given_a_batch(told):
    assert told("Image", [3, 32, 32])[1].endswith("write --input 1,3,32,32")
    # That is no missing batch.
    assert told("Image", [5, 32, 32])[1].startswith("raised below")


def test_a_model_of_dictionaries_is_counted_by_a_function(told):
    assert 'def call(x): return model({"x": x})' in told("Batch", [3, 8])[1]


@pytest.mark.parametrize(
    ("target", "inputs", "hint"),
    [
        ("Pair", [[3, 8]], "Pair takes x, mask: add --kwarg mask=SIZES"),
        ("ByName", [[3, 8]], "ByName takes x: write --kwarg x=3,8"),
        ("Pair", [[3, 8]] * 3, "Pair takes x, mask"),
    ],
)
def test_what_a_model_takes_is_listed(told, target, inputs, hint):
    assert told(target, *inputs)[1] == hint


def test_a_factory_with_parameters_is_told_apart_from_a_function_to_count(told):
    error, hint = told("make", [3, 8])
    assert error.startswith("TypeError")
    assert hint.startswith(
        "make takes width, so Laptime took it for the model and called it with the inputs. If"
    )


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ('{"a": 1,\n}', " is no JSON: Expecting property name enclosed in double quotes at line 2"),
        ("[1]", " is no configuration: it holds a list, not an object"),
        ("\udcff", " is no JSON: no text at byte 0"),
    ],
)
def test_a_broken_configuration_is_named_with_the_place(told, tmp_path, content, said):
    pytest.importorskip("transformers")
    path = tmp_path / "broken.json"
    path.write_text(content, errors="surrogateescape")
    assert f"{path}{said}" in told(path, kind="config")[0]
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "config.json").write_text(json.dumps([]))
    assert str(folder / "config.json") in told(folder, kind="config")[0]


def test_a_name_of_hugging_face_is_told_that_nothing_is_downloaded(told):
    pytest.importorskip("torchvision")
    error, hint = told("bert-base-uncased", kind="torchvision")
    assert error == "torchvision has no model 'bert-base-uncased'"
    assert hint.startswith("Nothing is downloaded: for a model of Hugging Face give the path of")
