"""`lt.count` of PyTorch models: what is counted, where, and how the model is left."""

import pytest

import laptime as lt

torch = pytest.importorskip("torch")
nn = torch.nn


def mlp():
    return nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 2, bias=False))


def test_a_model_is_counted_forward_and_backward():
    x = torch.randn(5, 6)
    forward = lt.count(mlp(), x)
    assert forward.flop == 2 * 5 * (6 * 8 + 8 * 2)
    assert forward.params == 6 * 8 + 8 + 8 * 2
    both = lt.count(mlp(), x, backward=True)
    # No gradient of the input: the first layer's backward is one product, the second's two.
    assert both.flop == forward.flop + 2 * 5 * (6 * 8 + 2 * 8 * 2)
    assert both.by_phase["forward"].flop == forward.flop


def test_an_input_that_requires_a_gradient_gets_one_in_the_count_and_none_afterwards():
    x = torch.randn(5, 6, requires_grad=True)
    both = lt.count(mlp(), x, backward=True)
    assert both.flop == 3 * 2 * 5 * (6 * 8 + 8 * 2)
    assert x.grad is None
