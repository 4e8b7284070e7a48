"""Scripts for thop, with only the import changed."""

import pytest

torch = pytest.importorskip("torch")

from torch import nn

from laptime.thop import clever_format, profile


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(8)
        self.up = nn.ConvTranspose2d(8, 4, 2, stride=2, bias=False)

    def forward(self, x):
        x = self.up(self.norm(self.conv(x)).relu())
        return torch.einsum("bchw,cd->bdhw", x, torch.ones(4, 5))


X = torch.randn(2, 3, 16, 16)
CONV = 2 * 8 * 16 * 16 * 3 * 9
UP = 2 * 16 * 16 * 8 * 4 * 4
FUNCTION = 2 * 32 * 32 * 4 * 5
PARAMS = 3 * 8 * 9 + 16 + 8 * 4 * 4


def test_macs_and_parameters_of_modules_and_functions():
    macs, params = profile(Block(), inputs=(X,))
    assert (macs, params) == (CONV + UP + FUNCTION, PARAMS)
    assert isinstance(macs, float)


def test_the_texts_are_thop_s():
    assert clever_format([4_089_184_256, 25_557_032], "%.3f") == ("4.089G", "25.557M")
    assert clever_format(1500.0) == "1.50K"
    assert clever_format([2.5e12, 12]) == ("2.50T", "12.00B")


def test_layers_come_as_a_tree():
    macs, _, layers = profile(nn.Sequential(Block(), nn.ReLU()), (X,), ret_layer_info=True)
    block, params, below = layers["0"]
    assert (block, params) == (macs, PARAMS)
    assert below["conv"] == (CONV, 3 * 8 * 9, {})
    assert below["up"][0] == UP
    assert layers["1"][0] == 0


def test_a_rule_of_the_user_s_stands_for_its_modules():
    def rule(module, inputs, output):
        module.total_ops += torch.DoubleTensor([1000])

    model = Block()
    macs, _, layers = profile(
        model, (X,), custom_ops={nn.ConvTranspose2d: rule}, verbose=False, ret_layer_info=True
    )
    assert macs == CONV + 1000 + FUNCTION
    assert layers["up"][0] == 1000
    assert "total_ops" not in dict(model.named_buffers())


def test_the_model_is_left_as_it_was():
    model = Block().train()
    model.norm.eval()
    mean = model.norm.running_mean.clone()
    profile(model, (X,))
    assert (model.training, model.norm.training) == (True, False)
    assert torch.equal(model.norm.running_mean, mean)


def test_what_is_not_counted_is_said(capsys):
    @torch.library.custom_op("laptime_tests::mystery", mutates_args=())
    def mystery(x: torch.Tensor) -> torch.Tensor:
        return x.clone()

    mystery.register_fake(torch.empty_like)

    class Mysterious(nn.Module):
        def forward(self, x):
            return mystery(x)

    assert profile(Mysterious(), (X,))[0] == 0
    assert "laptime_tests::mystery" in capsys.readouterr().out
    profile(Mysterious(), (X,), verbose=False)
    assert capsys.readouterr().out == ""
