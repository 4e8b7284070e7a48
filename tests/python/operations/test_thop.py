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


class Remembering(nn.Module):
    """Changes what it holds with each call, and what comes next of the random numbers."""

    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 6)
        self.register_buffer("seen", torch.zeros(1))
        self.calls = 0
        self.cache = []

    def forward(self, x):
        self.calls += 1
        self.seen += 1
        self.cache.append(x)
        x.mul_(2)
        return self.linear(x + torch.rand_like(x))


def test_the_model_is_left_as_it_was_when_a_rule_has_it_run():
    model, x = Remembering(), torch.ones(3, 4)
    state = torch.get_rng_state()
    macs, _ = profile(model, (x,), custom_ops={nn.Linear: add_seven}, verbose=False)
    assert macs == 7
    assert (model.calls, model.seen.item(), model.cache) == (0, 0, [])
    assert torch.equal(x, torch.ones(3, 4))
    assert torch.equal(torch.get_rng_state(), state)


def test_nothing_is_left_of_rules_where_a_module_has_the_name_of_their_total():
    model = nn.Sequential(nn.Linear(4, 6), nn.Linear(6, 6))
    model[1].total_ops = 5
    with pytest.raises(KeyError, match="total_ops"):
        profile(model, (torch.ones(3, 4),), custom_ops={nn.Linear: add_seven}, verbose=False)
    assert not hasattr(model[0], "total_ops")
    assert not any(it._forward_hooks for it in model)
    assert model[1].total_ops == 5


def test_a_buffer_that_rules_add_to_is_the_model_s_own_again():
    model = nn.Sequential(nn.Linear(4, 6))
    total = torch.tensor([3.0])
    model[0].register_buffer("total_ops", total)
    assert profile(model, (torch.ones(3, 4),), {nn.Linear: add_seven}, verbose=False)[0] == 7
    assert model[0].total_ops is total
    assert total.item() == 3


def add_seven(module, inputs, output):
    module.total_ops += 7


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
