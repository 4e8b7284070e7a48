"""What `laptime ops` makes of lengths, modes, lazy modules and copies, in this process."""

import json
import sys
import types

import pytest

import laptime as lt

torch = pytest.importorskip("torch")
nn = torch.nn

from laptime.operations.command import answer
from laptime.operations.command.request import Failure, Input, Request


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.words = nn.Embedding(100, 16)
        self.out = nn.Linear(16, 100, bias=False)

    def forward(self, idx):
        return self.out(self.words(idx))


class Lazy(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.LazyConv2d(8, 3)
        self.norm = nn.LazyBatchNorm2d()
        self.second = nn.LazyLinear(10)
        self.third = nn.Linear(10, 10)

    def forward(self, x):
        return self.third(self.second(self.norm(self.first(x)).flatten(1)))


#: The same, once its sizes are known: 3 to 8 channels, 14 by 14 places, 8·14·14 = 1568 to 10.
LAZY_FLOP = 2 * (2 * 8 * 14 * 14 * 27 + 2 * 1568 * 10 + 2 * 10 * 10)
LAZY_PARAMS = (8 * 27 + 8) + (8 + 8) + (1568 * 10 + 10) + (10 * 10 + 10)


def averaged():
    import copy

    return copy.deepcopy(nn.Sequential(nn.Linear(8, 4), nn.BatchNorm1d(4))).half()


@pytest.fixture
def asked(monkeypatch):
    """Asks for a target of this file, or of another kind."""
    made = types.ModuleType("models_of_mine")
    found = {"Words": Words, "Lazy": Lazy, "averaged": averaged, "model": nn.Linear(8, 4)}
    vars(made).update(found, lazy=Lazy())
    monkeypatch.setitem(sys.modules, "models_of_mine", made)

    def ask(target, *inputs, kind="factory", **more):
        fields = {"sequence": None, "backward": False, "mode": "auto", "roofline": False} | more
        target = f"models_of_mine:{target}" if kind == "factory" else target
        return json.loads(answer.counted(Request(kind, target, list(inputs), [], **fields)))

    return ask


def test_a_length_is_that_of_the_tokens_that_a_model_takes(asked):
    counts = asked("Words", sequence=32)
    assert counts["total"]["flop"] == 2 * 32 * 16 * 100
    assert counts["inputs"] == ["1\N{MULTIPLICATION SIGN}32 int64"]
    # Tokens of any number need no memory.
    assert asked("Words", sequence=10**13)["total"]["flop"] == 2 * 10**13 * 16 * 100


@pytest.mark.parametrize(
    ("target", "inputs", "said"),
    [
        ("model", (), "--seq is not used: Linear takes input, and Laptime can't tell"),
        ("model", (Input([2, 8], None),), "--seq is not used: --input and --kwarg say the sizes"),
    ],
)
def test_a_length_that_is_not_used_is_refused(asked, target, inputs, said):
    with pytest.raises(Failure, match=said) as left:
        asked(target, *inputs, sequence=32)
    assert left.value.code == 2


def test_a_length_is_refused_by_models_of_images_and_told_where_it_is_too_long(asked, tmp_path):
    pytest.importorskip("transformers")
    small = {"num_hidden_layers": 1, "n_layer": 1, "hidden_size": 12, "n_embd": 12, "n_head": 1}
    small |= {"num_attention_heads": 1, "intermediate_size": 12, "vocab_size": 10}
    for name in ("vit", "gpt2", "bert", "llama"):
        (tmp_path / f"{name}.json").write_text(json.dumps({"model_type": name} | small))
    with pytest.raises(Failure, match="takes pixel_values, no tokens"):
        asked(str(tmp_path / "vit.json"), kind="config", sequence=4)
    for name, longest in (("gpt2", 1024), ("bert", 512)):
        with pytest.raises(Failure, match=f"has learned places for {longest} tokens") as left:
            asked(str(tmp_path / f"{name}.json"), kind="config", sequence=longest + 1)
        assert (left.value.code, f"--seq {longest} or less" in left.value.hint) == (2, True)
        asked(str(tmp_path / f"{name}.json"), kind="config", sequence=longest)
    # Places that are computed have no end.
    counts = asked(str(tmp_path / "llama.json"), kind="config", sequence=4000)
    assert "4000 tokens, but the configuration has places for 2048" in counts["how"]


def test_the_mode_is_said_of_an_object_too(asked):
    x = Input([2, 8], None)
    assert asked("model", x)["how"] == "in training mode, which is the object's own"
    sys.modules["models_of_mine"].model.eval()
    assert asked("model", x)["how"] == "in evaluation mode, which is the object's own"


def test_a_class_that_copies_and_converts_itself_is_counted_without_weights(asked):
    counts = asked("averaged", Input([2, 8], "float16"))
    assert (counts["total"]["flop"], counts["params"]) == (2 * 2 * 8 * 4, 8 * 4 + 4 + 4 + 4)
    assert counts["how"] == "in evaluation mode, without weights in memory"


@pytest.mark.parametrize(
    ("target", "mode", "how"),
    [
        ("Lazy", "auto", "in evaluation mode, without weights in memory"),
        ("Lazy", "real", "in evaluation mode"),
        ("lazy", "auto", "in training mode, which is the object's own"),
    ],
)
def test_lazy_modules_get_their_sizes_from_the_input(asked, target, mode, how):
    counts = asked(target, Input([2, 3, 16, 16], None), mode=mode)
    assert (counts["total"]["flop"], counts["params"]) == (LAZY_FLOP, LAZY_PARAMS)
    assert counts["how"] == how


def test_lazy_modules_without_sizes_are_refused_by_count_and_left_lazy():
    x = torch.zeros(2, 3, 16, 16)
    model = Lazy()
    with pytest.raises(lt.LaptimeError, match=r"first.weight \(LazyConv2d\) has no size before"):
        lt.count(model, x)
    assert type(model.first) is nn.LazyConv2d
    model(x)
    counts = lt.count(model, x)
    assert (counts.flop, counts.params) == (LAZY_FLOP, LAZY_PARAMS)
