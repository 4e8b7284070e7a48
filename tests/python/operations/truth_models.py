"""The models of tests/truth/operations.json, each with the input that its row is for.

Built from the rows' definitions. In eval mode, where attention has no dropout and so runs fused.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import nn
from torch.nn import functional as F

ROWS: dict[str, dict[str, Any]] = {
    row["model"]: row
    for row in json.loads(
        (Path(__file__).parents[2] / "truth" / "operations.json").read_text(encoding="utf-8")
    )
}


class LastOfLstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(256, 512, 2, batch_first=True)
        self.out = nn.Linear(512, 10, bias=False)

    def forward(self, x):
        return self.out(self.lstm(x)[0][:, -1])


class Video(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv3d(3, 32, 3, padding=1, bias=False),
            nn.BatchNorm3d(32),
            nn.ReLU(),
            nn.Conv3d(32, 64, 3, stride=2, padding=1, bias=False),
            nn.ReLU(),
        )
        self.out = nn.Linear(64, 10, bias=False)

    def forward(self, x):
        return self.out(self.features(x).mean((2, 3, 4)))


class Einsum(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(128, 4, 32))

    def forward(self, x):
        return torch.einsum("bsd,dhk->bhsk", x, self.w)


class Attention(nn.Module):
    def __init__(self, *, causal=False):
        super().__init__()
        self.scale = nn.Parameter(torch.ones(()))
        self.causal = causal

    def forward(self, x):
        q = x * self.scale
        return F.scaled_dot_product_attention(q, q, q, is_causal=self.causal)


class Fourier(nn.Module):
    def __init__(self):
        super().__init__()
        self.w = nn.Parameter(torch.randn(1, 1, 257, dtype=torch.complex64))

    def forward(self, x):
        return torch.fft.irfft(torch.fft.rfft(x) * self.w)


def _torchvision(name: str) -> nn.Module:
    import torchvision

    return torchvision.models.get_model(name, weights=None)


def _gpt2() -> nn.Module:
    from transformers import GPT2Config, GPT2LMHeadModel

    return GPT2LMHeadModel(GPT2Config(use_cache=False))


MODELS: dict[str, Callable[[], nn.Module]] = {
    "resnet50": lambda: _torchvision("resnet50"),
    "mobilenet_v3_large": lambda: _torchvision("mobilenet_v3_large"),
    "vit_b_16": lambda: _torchvision("vit_b_16"),
    "gpt2_sdpa": _gpt2,
    "lstm": LastOfLstm,
    "conv3d": Video,
    "einsum": Einsum,
    "sdpa": Attention,
    "sdpa_causal": lambda: Attention(causal=True),
    "grouped_conv": lambda: nn.Sequential(
        nn.Conv2d(3, 64, 1, bias=False),
        nn.Conv2d(64, 64, 3, padding=1, groups=8, bias=False),
        nn.Conv2d(64, 64, 3, padding=1, groups=64, bias=False),
    ),
    "embedding": lambda: nn.Sequential(nn.Embedding(50000, 256), nn.Linear(256, 256, bias=False)),
    "mlp": lambda: nn.Sequential(
        nn.Linear(256, 1024, bias=False), nn.ReLU(), nn.Linear(1024, 256, bias=False)
    ),
    "encoder_layer": lambda: nn.TransformerEncoderLayer(256, 8, 1024, batch_first=True),
    "fft": Fourier,
}


def model(name: str) -> nn.Module:
    """The model of a row."""
    return MODELS[name]().eval()


def example(name: str) -> torch.Tensor:
    """Its input."""
    shape = ROWS[name]["input_shape"]
    if name in ("gpt2_sdpa", "embedding"):
        return torch.zeros(shape, dtype=torch.long)
    return torch.randn(shape)
