"""A model is left as it was: mode, gradients, buffers, random numbers, switches, attributes."""

import logging
import random

import pytest

import laptime as lt

torch = pytest.importorskip("torch")
nn = torch.nn

MODES = ("fake", "real")


class Remembers(nn.Module):
    """Keeps what it computed, as caches do, and calls its part in place."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 4)
        self.norm = nn.BatchNorm1d(4)
        self.drop = nn.Dropout(0.5)
        self.act = nn.ReLU(inplace=True)
        self.cache = {}
        self.seen = []
        self.calls = 0
        self.register_buffer("ema", torch.zeros(4))

    def forward(self, x):
        self.calls += 1
        self.act(x)
        y = self.drop(self.norm(self.first(x)))
        self.cache["last"] = y
        self.seen.append(y)
        self.kept = y
        self.ema = self.ema * 0.9 + y.detach().mean(0)
        return y


def state(model):
    return {name: value.clone() for name, value in model.state_dict().items()}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("backward", [False, True])
@pytest.mark.parametrize("training", [False, True])
def test_values_gradients_and_attributes_are_as_before(mode, backward, training):
    model = Remembers().train(training)
    model.first.weight.grad = torch.ones(4, 4)
    tensors = {id(it) for it in (*model.parameters(), *model.buffers())}
    before, versions = state(model), [it._version for it in model.parameters()]
    attributes = {name: dict(part.__dict__) for name, part in model.named_modules()}

    x = torch.randn(8, 4)
    kept = x.clone()
    lt.count(model, x, backward=backward, mode=mode)

    after = state(model)
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert {id(it) for it in (*model.parameters(), *model.buffers())} == tensors
    assert [it._version for it in model.parameters()] == versions
    assert torch.equal(model.first.weight.grad, torch.ones(4, 4))
    assert model.first.bias.grad is None
    assert model.training is training
    assert torch.equal(x, kept)
    assert (model.cache, model.seen, model.calls) == ({}, [], 0)
    assert not hasattr(model, "kept")
    for name, part in model.named_modules():
        assert part.__dict__.keys() == attributes[name].keys()
    assert type(model.ema) is torch.Tensor


@pytest.mark.parametrize("mode", MODES)
def test_random_numbers_go_on_as_if_nothing_had_been_counted(mode):
    def draw():
        return torch.rand(3).tolist(), random.random()

    class Rolls(nn.Module):
        def forward(self, x):
            random.random()
            return torch.nn.functional.dropout(x + torch.rand_like(x))

    torch.manual_seed(7)
    random.seed(7)
    expected = draw()
    torch.manual_seed(7)
    random.seed(7)
    lt.count(Rolls(), torch.zeros(8), mode=mode)
    assert draw() == expected


def test_switches_patches_and_hooks_are_as_before():
    model = Remembers()
    handle = model.register_forward_hook(lambda *_: None)
    call, run = nn.Module.__call__, torch.autograd._engine_run_backward
    for fast in (True, False):
        torch.backends.mha.set_fastpath_enabled(fast)
        lt.count(model, torch.randn(8, 4), backward=True)
        assert torch.backends.mha.get_fastpath_enabled() is fast
    torch.backends.mha.set_fastpath_enabled(True)
    assert nn.Module.__call__ is call
    assert torch.autograd._engine_run_backward is run
    assert list(model._forward_hooks) == [handle.id]
    assert torch.is_grad_enabled()
    assert not torch._C._len_torch_dispatch_stack()


@pytest.mark.parametrize("mode", MODES)
def test_a_model_that_raises_is_left_as_it_was_too(mode):
    class Fails(Remembers):
        def forward(self, x):
            super().forward(x)
            raise ArithmeticError("midway")

    model = Fails()
    before = state(model)
    with pytest.raises(ArithmeticError, match="midway"):
        lt.count(model, torch.randn(8, 4), backward=True, mode=mode)
    after = state(model)
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert (model.calls, model.cache) == (0, {})
    assert torch.backends.mha.get_fastpath_enabled()
    assert not torch._C._len_torch_dispatch_stack()
    model.first(torch.randn(2, 4))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("scripted", [False, True])
def test_running_statistics_do_not_move(mode, scripted):
    model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.BatchNorm2d(4)).train()
    if scripted:
        model = torch.jit.script(model)
    before = state(model)
    assert lt.count(model, torch.randn(2, 3, 8, 8), backward=True, mode=mode).flop > 0
    after = state(model)
    assert all(torch.equal(before[name], after[name]) for name in before)
    assert all(it.grad is None for it in model.parameters())


@pytest.mark.parametrize("make", [torch.optim.SGD, torch.optim.AdamW])
@pytest.mark.parametrize("mode", MODES)
def test_a_training_step_leaves_weights_and_the_optimizers_state(make, mode):
    model = nn.Linear(4, 4)
    optimizer = make(model.parameters(), lr=0.1)

    def step(x):
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()

    step(torch.randn(2, 4))
    weights = state(model)
    gradient = model.weight.grad.clone()
    kept = {
        name: value.clone() if torch.is_tensor(value) else value
        for name, value in optimizer.state[model.weight].items()
    }
    counts = lt.count(step, torch.randn(2, 4), mode=mode)
    assert counts.by_phase["optimizer"].other_flop > 0
    assert all(torch.equal(weights[name], value) for name, value in state(model).items())
    assert torch.equal(model.weight.grad, gradient)
    assert optimizer.param_groups[0]["params"][0] is model.weight
    for name, value in optimizer.state[model.weight].items():
        assert torch.equal(torch.as_tensor(value), torch.as_tensor(kept[name])), name
    step(torch.randn(2, 4))


def test_a_model_still_trains_after_it_was_counted():
    model = Remembers().train()
    x = torch.randn(8, 4)
    lt.count(model, x, backward=True)
    model(x).sum().backward()
    assert type(model.first.weight.grad) is torch.Tensor
    assert torch.isfinite(model.first.weight.grad).all()


def test_nothing_is_said_unless_asked(capfd, caplog):
    class Decides(nn.Module):
        def forward(self, x):
            return x @ x if x.sum().item() > 1e9 else x

    with caplog.at_level(logging.WARNING):
        lt.count(Decides(), torch.randn(100, 100))
        with pytest.raises(RuntimeError):
            lt.count(nn.Linear(3, 3), torch.randn(2, 4))
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""
    assert caplog.records == []
    assert not logging.getLogger("torch._subclasses.fake_tensor").disabled
