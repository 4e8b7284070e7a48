"""ONNX files: what PyTorch's exporters write of a model counts as the model does."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("onnx")
pytest.importorskip("onnxscript")

from torch import nn

import laptime as lt

Built = tuple[Any, tuple[Any, ...]]


class Recurrent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.lstm = nn.LSTM(32, 48, 2, bidirectional=True, batch_first=True)
        self.gru = nn.GRU(96, 40, batch_first=True)
        self.out = nn.Linear(40, 10)

    def forward(self, x: Any) -> Any:
        return self.out(self.gru(self.lstm(x)[0])[0])


class Convolutions(nn.Module):
    """Grouped, strided, transposed, dilated; in one, two and three dimensions."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv2d(3, 16, 3, padding=1)
        self.down = nn.Conv2d(16, 32, 3, stride=2, padding=1, groups=4)
        self.up = nn.ConvTranspose2d(32, 16, 4, stride=2, padding=1, groups=2)
        self.out = nn.Conv2d(32, 2, 1)
        self.line = nn.Conv1d(4, 8, 5, dilation=2)
        self.volume = nn.Conv3d(2, 4, 3)

    def forward(self, x: Any, y: Any, z: Any) -> Any:
        first = nn.functional.relu(self.first(x))
        up = self.up(nn.functional.gelu(self.down(first)))
        return self.out(torch.cat([first, up], 1)), self.line(y), self.volume(z)


class Products(nn.Module):
    def forward(self, a: Any, b: Any, c: Any) -> Any:
        return torch.einsum("bhid,bhjd->bhij", a, b), a @ c, torch.bmm(a[0], b[0].transpose(1, 2))


def image(model: Any, side: int = 64) -> Built:
    return model.eval(), (torch.randn(1, 3, side, side),)


def vision(name: str, side: int = 64, **options: Any) -> Callable[[], Built]:
    def build() -> Built:
        torchvision = pytest.importorskip("torchvision")
        return image(torchvision.models.get_model(name, weights=None, **options), side)

    return build


def small(kind: str, **sizes: Any) -> Callable[[], Built]:
    """One of torchvision's kinds of models with fewer and smaller layers."""

    def build() -> Built:
        models = pytest.importorskip("torchvision").models
        blocks = [models.convnext.CNBlockConfig(*block) for block in sizes.get("block_setting", [])]
        own = {**sizes, "block_setting": blocks} if blocks else sizes
        return image(getattr(models, kind)(**own), 32)

    return build


def encoder() -> Built:
    layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
    return nn.TransformerEncoder(layer, 2, enable_nested_tensor=False), (torch.randn(2, 9, 64),)


def language(kind: str, **sizes: Any) -> Callable[[], Built]:
    def build() -> Built:
        transformers = pytest.importorskip("transformers")
        config = getattr(transformers, f"{kind}Config")(vocab_size=100, use_cache=False, **sizes)
        inner = transformers.AutoModelForCausalLM.from_config(config).eval()

        class Logits(nn.Module):
            def __init__(self) -> None:
                super().__init__()
                self.inner = inner

            def forward(self, ids: Any) -> Any:
                return self.inner(input_ids=ids, return_dict=False)[0]

        return Logits(), (torch.randint(0, 90, (2, 16)),)

    return build


MODELS: dict[str, Callable[[], Built]] = {
    "resnet50": vision("resnet50", 32),
    "mobilenet_v3_small": vision("mobilenet_v3_small", 32),
    "convnext": small("ConvNeXt", block_setting=[(8, 16, 1), (16, None, 2)]),
    "vit": small(
        "VisionTransformer",
        image_size=32,
        patch_size=8,
        num_layers=2,
        num_heads=2,
        hidden_dim=32,
        mlp_dim=64,
    ),
    "swin": small(
        "SwinTransformer",
        patch_size=[4, 4],
        embed_dim=24,
        depths=[2, 2],
        num_heads=[2, 4],
        window_size=[3, 3],
    ),
    "lraspp": vision("lraspp_mobilenet_v3_large", 32, weights_backbone=None),
    "convolutions": lambda: (
        Convolutions(),
        (torch.randn(1, 3, 32, 32), torch.randn(2, 4, 40), torch.randn(1, 2, 5, 6, 7)),
    ),
    "recurrent": lambda: (Recurrent(), (torch.randn(2, 7, 32),)),
    "products": lambda: (
        Products(),
        (torch.randn(2, 4, 8, 16), torch.randn(2, 4, 10, 16), torch.randn(16, 5)),
    ),
    "encoder": encoder,
    "gpt2": language("GPT2", n_embd=64, n_layer=2, n_head=4),
    "llama": language(
        "Llama",
        hidden_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        intermediate_size=128,
    ),
}

# What torch's own older exporter can't export.
BEYOND_THE_OLD = {"gpt2", "llama"}

CASES = [
    (name, dynamo)
    for name in MODELS
    for dynamo in (True, False)
    if dynamo or name not in BEYOND_THE_OLD
]


@pytest.fixture(autouse=True)
def quiet() -> Any:
    """Exporters tell a lot about themselves."""
    logging.disable(logging.WARNING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    logging.disable(logging.NOTSET)


def export(model: Any, inputs: tuple[Any, ...], path: Path, dynamo: bool, **options: Any) -> str:
    if dynamo:
        options.setdefault("verbose", False)
    fast_path = torch.backends.mha.get_fastpath_enabled()
    torch.backends.mha.set_fastpath_enabled(False)
    try:
        torch.onnx.export(model, inputs, str(path), dynamo=dynamo, **options)
    finally:
        torch.backends.mha.set_fastpath_enabled(fast_path)
    return str(path)


@pytest.mark.parametrize(("name", "dynamo"), CASES)
def test_an_exported_model_costs_what_the_model_does(
    name: str, dynamo: bool, tmp_path: Path
) -> None:
    model, inputs = MODELS[name]()
    model = model.eval()
    truth = lt.count(model, *inputs)
    path = export(model, inputs, tmp_path / "model.onnx", dynamo)
    counts = lt.count(path)
    assert counts.mac == truth.mac > 0
    assert counts.uncounted == []
    assert counts.coverage_ratio == 1.0


def test_sizes_that_an_export_leaves_open_are_given_by_the_name_it_has(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.Flatten(), nn.Linear(4 * 36, 5)).eval()
    path = export(
        model,
        (torch.randn(2, 3, 8, 8),),
        tmp_path / "model.onnx",
        True,
        dynamic_shapes=({0: torch.export.Dim("batch", min=1, max=64)},),
    )
    with pytest.raises(lt.LaptimeError, match='leaves sizes open: "batch"'):
        lt.count(path)
    counts = lt.count(path, dims={"batch": 7})
    assert counts.mac == lt.count(model, torch.randn(7, 3, 8, 8)).mac


def test_rows_are_the_models_modules_as_the_exporter_names_them(tmp_path: Path) -> None:
    model = nn.Sequential(nn.Linear(8, 6), nn.Sequential(nn.ReLU(), nn.Linear(6, 2))).eval()
    for dynamo in (True, False):
        path = export(model, (torch.randn(5, 8),), tmp_path / f"{dynamo}.onnx", dynamo)
        counts = lt.count(path)
        assert counts.by_module["0"].mac == 5 * 8 * 6
        assert counts.by_module["1"].mac == counts.by_module["1.1"].mac == 5 * 6 * 2
        assert counts.by_module["0"].params == 8 * 6 + 6
        assert counts.params == sum(p.numel() for p in model.parameters())
