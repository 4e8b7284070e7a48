"""The models of the table: those whose sums are worked out by hand, and others that people use."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import torch
from torch import nn

sys.path.insert(0, str(Path(__file__).parents[3] / "tests" / "python" / "operations"))

import truth_models


@dataclass(frozen=True)
class Model:
    """A model, what it is called with, and what is known of it."""

    build: Callable[[], nn.Module]
    example: Callable[[], torch.Tensor]
    # Multiply-accumulates by hand: forward, and forward with backward.
    forward: float | None = None
    training: float | None = None


class Upsampling(nn.Module):
    """An autoencoder's end: transposed convolutions, one of them as a function."""

    def __init__(self):
        super().__init__()
        self.first = nn.ConvTranspose2d(64, 32, 4, stride=2, padding=1)
        self.weight = nn.Parameter(torch.randn(32, 3, 4, 4))

    def forward(self, x):
        x = self.first(x).relu()
        return nn.functional.conv_transpose2d(x, self.weight, stride=2, padding=1)


class Vectors(nn.Module):
    """Products of a matrix with a vector."""

    def __init__(self):
        super().__init__()
        self.matrix = nn.Parameter(torch.randn(1024, 512))

    def forward(self, x):
        return self.matrix @ x.mean(0)


class Waves(nn.Module):
    """Convolutions in one dimension, then a gated recurrent layer in both directions."""

    def __init__(self):
        super().__init__()
        self.waves = nn.Conv1d(1, 64, 16, stride=8)
        self.gru = nn.GRU(64, 128, bidirectional=True, batch_first=True)
        self.out = nn.Linear(256, 10)

    def forward(self, x):
        return self.out(self.gru(self.waves(x).relu().transpose(1, 2))[0])


class Attending(nn.Module):
    """A layer of attention as it is built in."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(256, 8, batch_first=True)

    def forward(self, x):
        return self.attention(x, x, x, need_weights=False)[0]


def _transformer(kind: str, **sizes: int | bool) -> Callable[[], nn.Module]:
    def build() -> nn.Module:
        import transformers

        config = getattr(transformers, f"{kind}Config")(**sizes)
        suffix = "Model" if kind in ("Bert", "ViT") else "ForCausalLM"
        return getattr(transformers, kind + suffix)(config).eval()

    return build


def _torchvision(name: str) -> Callable[[], nn.Module]:
    def build() -> nn.Module:
        import torchvision

        return torchvision.models.get_model(name, weights=None).eval()

    return build


def _image(size: int = 224) -> Callable[[], torch.Tensor]:
    return lambda: torch.randn(1, 3, size, size)


def _tokens(length: int) -> Callable[[], torch.Tensor]:
    return lambda: torch.zeros(1, length, dtype=torch.long)


def _by_hand(name: str) -> Model:
    row = truth_models.ROWS[name]

    return Model(
        lambda: truth_models.model(name),
        lambda: truth_models.example(name),
        row["macs"],
        row["fwd_bwd_flops_model"] / 2,
    )


MODELS = {
    **{name: _by_hand(name) for name in truth_models.ROWS if name != "fft"},
    **{
        name: Model(_torchvision(name), _image())
        for name in ("convnext_tiny", "swin_t", "efficientnet_b0", "densenet121", "regnet_y_400mf")
    },
    "bert": Model(_transformer("Bert", num_hidden_layers=4), _tokens(128)),
    "llama": Model(
        _transformer(
            "Llama",
            hidden_size=512,
            intermediate_size=1408,
            num_hidden_layers=4,
            num_attention_heads=8,
            num_key_value_heads=2,
            vocab_size=8192,
            use_cache=False,
        ),
        _tokens(128),
    ),
    "multihead_attention": Model(lambda: Attending().eval(), lambda: torch.randn(2, 128, 256)),
    "conv_transpose": Model(lambda: Upsampling().eval(), lambda: torch.randn(1, 64, 16, 16)),
    "conv1d_gru": Model(lambda: Waves().eval(), lambda: torch.randn(2, 1, 1032)),
    "matrix_vector": Model(lambda: Vectors().eval(), lambda: torch.randn(8, 512)),
}
