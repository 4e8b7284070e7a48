"""What masks leave of attention: kernels say if they are causal; tensors are counted in full."""

import math

import pytest

import laptime as lt

torch = pytest.importorskip("torch")

import torch.nn.functional as F


def grown(*tensors):
    return [it.clone().requires_grad_() for it in tensors]


def causal(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def triangle(length):
    return length * (length + 1) // 2


@pytest.mark.parametrize("mode", ["fake", "real"])
def test_a_kernel_that_is_told_to_be_causal_leaves_the_masked_out(mode):
    # 2 heads of 16, 16² pairs, 2·(16 + 16) FLOP each; its gradients are four products.
    q = torch.randn(1, 2, 16, 16)
    counts = lt.count(causal, *grown(q, q, q), mode=mode, backward=True)
    assert (counts.flop, counts.active_flop) == (3 * 2 * 256 * 64, 3 * 2 * triangle(16) * 64)
    assert counts.by_phase["backward"].active_flop == 2 * 2 * triangle(16) * 64
    assert counts.warnings == []


def test_a_forward_that_runs_again_has_no_active_part_and_its_gradients_have_theirs():
    from torch.utils.checkpoint import checkpoint

    q = torch.randn(1, 2, 16, 16)
    counts = lt.count(
        lambda *them: checkpoint(causal, *them, use_reentrant=False),
        *grown(q, q, q),
        backward=True,
    )
    assert counts.active_flop == 3 * 2 * triangle(16) * 64
    assert counts.by_phase["recompute"].active_flop == 0


def written_out(q, k, v, mask):
    return torch.softmax(q @ k.mT + mask, -1) @ v


@pytest.mark.parametrize("mode", ["fake", "real"])
@pytest.mark.parametrize("attend", [F.scaled_dot_product_attention, written_out])
def test_a_mask_that_is_a_tensor_is_counted_in_full(attend, mode):
    q = torch.randn(1, 2, 16, 16)
    mask = torch.full((16, 16), -math.inf).triu(1)
    counts = lt.count(attend, *grown(q, q, q), mask, mode=mode, backward=True)
    assert counts.active_flop == counts.flop == 3 * 2 * 256 * 64
    assert counts.warnings == []


def test_causal_attention_that_no_kernel_fits_is_counted_in_full():
    q, v = torch.randn(1, 2, 16, 16), torch.randn(1, 2, 16, 24)
    counts = lt.count(causal, q, q, v)
    assert counts.active_flop == counts.flop == 2 * 256 * 80


def test_forward_derivatives_count_what_runs_products_with_zeros_too():
    first, second = torch.randn(6, 4), torch.randn(2, 6)

    def run(x):
        return (x @ first.T) @ second.T

    x = torch.randn(3, 4)
    once = 2 * 3 * 4 * 6 + 2 * 3 * 6 * 2
    one = torch.ones_like(x)
    # PyTorch does multiply by the weights' zero tangents: infinity times zero is no number.
    infinite = x.clone()
    infinite[0, 0] = math.inf
    assert torch.func.jvp(run, (infinite,), (one,))[1][0].isnan().all()
    counts = lt.count(lambda x: torch.func.jvp(run, (x,), (one,)), x)
    assert counts.flop == 3 * once

    def dual(x):
        with torch.autograd.forward_ad.dual_level():
            made = torch.autograd.forward_ad.make_dual(x, one)
            return torch.autograd.forward_ad.unpack_dual(run(made))

    assert lt.count(dual, x).flop == 3 * once
    # A row: primal and zero tangents once, four tangents at a time.
    row = once // 3
    assert lt.count(torch.func.jacfwd(run), x[0]).flop == 6 * row
    # The gradient of the gradient: forward and backward, each as above.
    hessian = torch.func.hessian(lambda x: run(x).tanh().sum())
    assert lt.count(hessian, x[0]).flop == 12 * row
