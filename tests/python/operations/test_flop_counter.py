"""Scripts for PyTorch's `FlopCounterMode`, with only the import changed."""

import pytest

torch = pytest.importorskip("torch")

from torch import nn
from torch.utils.flop_counter import FlopCounterMode as PyTorchs

from laptime.flop_counter import FlopCounterMode, register_flop_formula


def flop(counter, run):
    with counter(display=False) as counted:
        run()
    return counted.get_total_flops()


class Small(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Linear(16, 32, bias=False)
        self.second = nn.Linear(32, 4, bias=False)

    def forward(self, x):
        return self.second(self.first(x).relu())


def test_where_pytorch_is_right_everything_is_the_same():
    model, x = Small(), torch.randn(8, 16)
    answers = []
    for counter in (PyTorchs, FlopCounterMode):
        with counter(display=False, depth=3) as counted:
            model(x).sum().backward()
        answers.append((counted.get_flop_counts(), counted.get_table(), counted.get_total_flops()))
    theirs, ours = answers
    assert ours == theirs
    assert ours[2] == 2 * 8 * (16 * 32 * 2 + 32 * 4 * 3)


def test_the_table_is_printed_at_the_end(capsys):
    with FlopCounterMode():
        Small()(torch.randn(8, 16))
    printed = capsys.readouterr().out
    assert "Small.first" in printed
    assert "aten.mm" in printed


def test_groups_divide_the_gradient_of_a_convolution():
    convolution = nn.Conv2d(64, 64, 3, padding=1, groups=64, bias=False)
    x = torch.randn(1, 64, 32, 32, requires_grad=True)

    def run():
        convolution(x).sum().backward()

    by_hand = 3 * 2 * 64 * 32 * 32 * 9
    assert flop(FlopCounterMode, run) == by_hand
    assert flop(PyTorchs, run) > 10 * by_hand


def test_a_recurrent_layer_with_its_gradients_is_exact():
    lstm, last = nn.LSTM(256, 512, 2, batch_first=True), nn.Linear(512, 10, bias=False)
    x = torch.randn(4, 64, 256)

    def run():
        last(lstm(x)[0][:, -1]).sum().backward()

    assert flop(FlopCounterMode, run) == 5_352_054_784


def test_an_encoder_layer_is_counted_on_its_fast_path_too():
    layer = nn.TransformerEncoderLayer(256, 8, 1024, batch_first=True).eval()
    x = torch.randn(2, 128, 256)

    def run():
        with torch.no_grad():
            layer(x)

    before = torch.backends.mha.get_fastpath_enabled()
    assert flop(FlopCounterMode, run) == 436_207_616
    assert torch.backends.mha.get_fastpath_enabled() == before
    assert flop(PyTorchs, run) == 0


def test_a_product_with_a_vector_is_counted():
    a, b = torch.randn(64, 32), torch.randn(32)
    assert flop(FlopCounterMode, lambda: a @ b) == 2 * 64 * 32
    assert flop(PyTorchs, lambda: a @ b) == 0


def test_the_backward_of_attention_is_what_the_model_asks_for():
    q = torch.randn(2, 8, 128, 64, requires_grad=True)

    def run():
        nn.functional.scaled_dot_product_attention(q, q, q).sum().backward()

    assert flop(FlopCounterMode, run) == 201_326_592


def test_the_user_s_formulas_go_first():
    def seven(a_shape, b_shape, *args, out_shape=None, **kwargs):
        assert (tuple(a_shape), tuple(out_shape)) == ((8, 16), (8, 4))
        return 7

    a, b = torch.randn(8, 16), torch.randn(16, 4)
    with FlopCounterMode(display=False, custom_mapping={torch.ops.aten.mm: seven}) as counted:
        a @ b
    assert counted.get_total_flops() == 7


def test_registered_formulas_of_custom_operators_are_used():
    @torch.library.custom_op("laptime_tests::scaled", mutates_args=())
    def scaled(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    x = torch.randn(8)
    with FlopCounterMode(display=False) as counted:
        scaled(x)
    assert counted.get_total_flops() == 0
    assert counted.get_unsupported_ops()["laptime_tests::scaled"] == 1

    @register_flop_formula(torch.ops.laptime_tests.scaled)
    def scaled_flops(x_shape, *, out_shape=None):
        return x_shape[0]

    assert flop(FlopCounterMode, lambda: scaled(x)) == 8


def test_one_counter_can_be_used_twice_and_begins_anew():
    counter = FlopCounterMode(display=False)
    a, b = torch.randn(8, 16), torch.randn(16, 4)
    for _ in range(2):
        with counter:
            a @ b
        assert counter.get_total_flops() == 2 * 8 * 16 * 4
