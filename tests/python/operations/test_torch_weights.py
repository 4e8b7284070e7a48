"""Models without weights, and inputs that don't fit."""

import pytest

import laptime as lt

torch = pytest.importorskip("torch")
nn = torch.nn

FLOP = 2 * 4 * 8 * 8


def linear():
    return nn.Linear(8, 8)


def test_a_model_that_fits_nowhere_is_counted():
    with lt.no_weights():
        model = nn.Sequential(nn.Linear(1_000_000, 1_000_000), nn.Linear(1_000_000, 10))
    counts = lt.count(model, torch.randn(1, 1_000_000), backward=True)
    assert counts.params == 1_000_000 * 1_000_001 + 1_000_000 * 10 + 10
    forward = 2 * (1_000_000**2 + 1_000_000 * 10)
    assert counts.flop == 3 * forward - 2 * 1_000_000**2


def test_shapes_alone_are_enough_however_the_model_came_by_them():
    from torch._subclasses.fake_tensor import FakeTensorMode

    x = torch.randn(4, 8)
    with lt.no_weights():
        without = linear()
        inside = lt.count(linear(), torch.randn(4, 8), backward=True)
    with torch.device("meta"):
        meta = linear()
    fake_mode = FakeTensorMode()
    with fake_mode:
        faked, fake_x = linear(), torch.randn(4, 8)
        within = lt.count(faked, fake_x, backward=True)
    assert inside.flop == within.flop == 2 * FLOP
    for model, given in ((without, x), (meta, x), (faked, x), (faked, fake_x)):
        counts = lt.count(model, given, backward=True)
        assert (counts.flop, counts.params, counts.warnings) == (2 * FLOP, 72, [])
        assert model.weight.grad is None
    assert lt.count(meta, x.to("meta")).flop == FLOP
    assert not fake_mode.allow_non_fake_inputs


def test_numbers_that_a_constructor_asks_for_are_true_without_weights():
    class Drops(nn.Module):
        def __init__(self):
            super().__init__()
            rates = [it.item() for it in torch.linspace(0, 0.5, 6)]
            self.layers = nn.ModuleList(linear() for rate in rates if rate < 0.35)

        def forward(self, x):
            for layer in self.layers:
                x = layer(x)
            return x

    with lt.no_weights():
        model = Drops()
    assert len(model.layers) == 4
    assert lt.count(model, torch.randn(4, 8)).flop == 4 * FLOP


def test_a_decision_on_data_is_taken_on_real_tensors_and_said():
    class Decides(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = nn.Linear(100, 100, bias=False)

        def forward(self, x):
            return self.part(x) if x.sum() > 0 else x

    x = torch.ones(100, 100)
    for sign, flop in ((1, 2 * 100**3), (-1, 0)):
        counts = lt.count(Decides(), sign * x)
        assert counts.flop == flop
        (warning,) = counts.warnings
        assert "real tensors" in warning
        assert "a tensor is turned into a number" in warning
    with pytest.raises(lt.LaptimeError, match=r"number.*weights.py, line.*mode='real'"):
        lt.count(Decides(), x, mode="fake")
    with lt.no_weights():
        model = Decides()
    with pytest.raises(lt.LaptimeError, match="build the model with its weights"):
        lt.count(model, x)
    with pytest.raises(lt.LaptimeError, match=r"weight \(a fake tensor\)"):
        lt.count(model, x, mode="real")


def test_a_decision_on_a_few_values_needs_no_real_run():
    def masked(x, lengths):
        return x[: int(lengths.max())] @ x.t()

    counts = lt.count(masked, torch.randn(100, 100), torch.tensor([3, 7]))
    assert (counts.flop, counts.warnings) == (2 * 7 * 100 * 100, [])


def test_wrong_sizes_are_refused_in_the_frameworks_own_words():
    with pytest.raises(RuntimeError) as expected:
        linear()(torch.randn(4, 7))
    with pytest.raises(RuntimeError) as found:
        lt.count(linear(), torch.randn(4, 7))
    assert type(found.value) is type(expected.value)
    assert str(found.value).split(": ")[-1] == str(expected.value).split(": ")[-1]
    with pytest.raises(TypeError, match="forward"):
        lt.count(linear())
    with lt.no_weights():
        model = linear()
    with pytest.raises(RuntimeError, match="same reduction dim"):
        lt.count(model, torch.randn(4, 7))


def test_what_is_no_model_is_refused_by_its_type():
    with pytest.raises(TypeError, match="a model or function was expected, not int"):
        lt.count(3, torch.randn(4))
    with pytest.raises(ValueError, match="'auto', 'fake' or 'real', not 'reel'"):
        lt.count(linear(), torch.randn(4, 8), mode="reel")


def test_the_result_says_what_was_counted_and_how():
    counts = lt.count(linear(), torch.randn(4, 8), backward=True)
    assert "Linear" in str(counts)
    assert "4\N{MULTIPLICATION SIGN}8 float32" in str(counts)
    assert "on fake tensors, with its backward" in str(counts)
    assert "on real tensors" in str(lt.count(linear(), torch.randn(4, 8), mode="real"))


def test_importing_laptime_imports_no_framework():
    import subprocess
    import sys

    program = "import sys, laptime as lt; lt.count; print('torch' in sys.modules)"
    out = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert out.stdout.strip() == "False"
    program = "import laptime as lt; lt.count(lambda x: x, 1)"
    out = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "framework that is imported" in out.stderr
