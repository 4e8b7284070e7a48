"""What masks leave of attention: exact where it can be known, and marked where it can't."""

import math

import pytest

import laptime as lt

torch = pytest.importorskip("torch")

import torch.nn.functional as F


def grown(*tensors):
    return [it.clone().requires_grad_() for it in tensors]


def tensors(length=16, heads=2, key=16, value=24, batch=1):
    q = torch.randn(batch, heads, length, key)
    return q, q.clone(), torch.randn(batch, heads, length, value)


def causal(q, k, v):
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def triangle(length):
    return length * (length + 1) // 2


@pytest.mark.parametrize("mode", ["fake", "real"])
def test_causal_attention_that_is_taken_apart_is_as_active_as_in_a_kernel(mode):
    # Heads of 16 and of 24 go the way of mathematics: 2 heads, 16² pairs, 2·(16 + 24) FLOP each.
    counts = lt.count(causal, *tensors(), mode=mode)
    assert (counts.flop, counts.active_flop) == (40_960, 2 * 136 * 80)
    assert counts.active_flop == 21_760
    # Its gradients are four products, each of as many pairs.
    counts = lt.count(causal, *grown(*tensors()), mode=mode, backward=True)
    assert (counts.flop, counts.active_flop) == (3 * 40_960, 3 * 21_760)
    assert counts.by_phase["backward"].active_flop == 2 * 21_760
    assert counts.warnings == []


def test_dropout_takes_nothing_from_what_is_active():
    q, k, _ = tensors()
    counts = lt.count(
        lambda q, k: F.scaled_dot_product_attention(q, k, k, is_causal=True, dropout_p=0.1), q, k
    )
    assert (counts.flop, counts.active_flop) == (32_768, 2 * 136 * 64)


def test_a_forward_that_runs_again_has_no_active_part_and_its_gradients_have_theirs():
    from torch.utils.checkpoint import checkpoint

    counts = lt.count(
        lambda *them: checkpoint(causal, *them, use_reentrant=False),
        *grown(*tensors()),
        backward=True,
    )
    assert counts.active_flop == 3 * 21_760
    assert counts.by_phase["recompute"].active_flop == 0


MASKS = {
    "ones whose upper half is dropped": lambda n: torch.ones(n, n, dtype=torch.bool).tril(),
    "ranges that are compared": lambda n: torch.arange(n)[:, None] >= torch.arange(n),
    "infinity above": lambda n: torch.full((n, n), -math.inf).triu(1),
    "the lowest number above": lambda n: torch.zeros(n, n).masked_fill(
        ~torch.ones(n, n, dtype=torch.bool).tril(), torch.finfo(torch.float32).min
    ),
}


@pytest.mark.parametrize("length", [16, 256])
@pytest.mark.parametrize("made", MASKS.values(), ids=MASKS)
def test_a_mask_that_is_made_of_numbers_is_known_however_large(made, length):
    q, k, _ = tensors(length, key=8)

    def run(q, k):
        return F.scaled_dot_product_attention(q, k, k, attn_mask=made(length))

    # 2 heads, 2·(8 + 8) FLOP a pair.
    counts = lt.count(run, *grown(q, k), backward=True, mode="fake")
    assert counts.flop == 3 * 2 * length**2 * 32
    assert counts.active_flop == 3 * 2 * triangle(length) * 32


@pytest.mark.parametrize("mode", ["fake", "real"])
def test_a_mask_that_is_passed_is_known_and_one_of_all_keys_hides_nothing(mode):
    q, k, _ = tensors(256, key=8, batch=2)

    def run(q, k, mask):
        return F.scaled_dot_product_attention(q, k, k, attn_mask=mask)

    whole = 2 * 2 * 256**2 * 32
    keys = torch.ones(2, 1, 1, 256, dtype=torch.bool)
    assert lt.count(run, q, k, keys, mode=mode).active_flop == whole
    keys[0, :, :, 64:] = False  # of the first sequence a quarter is left
    assert lt.count(run, q, k, keys, mode=mode).active_flop == whole * 5 // 8


def test_a_part_of_a_mask_that_is_written_to_is_known():
    def run(q):
        mask = torch.zeros(256, 256)
        mask[:128, 128:] = -math.inf
        return torch.softmax(q @ q.T + mask, -1) @ q

    counts = lt.count(run, torch.randn(256, 16), mode="fake")
    assert counts.active_flop == counts.flop * 3 // 4


def test_attention_in_products_of_its_own_is_followed():
    def run(q):
        mask = torch.full((32, 32), -math.inf).triu(1)
        scores = torch.einsum("bhqd,bhkd->bhqk", q, q) / 4 + mask
        return torch.einsum("bhqk,bhkd->bhqd", torch.softmax(scores, -1), q)

    q = torch.randn(2, 8, 32, 16)
    counts = lt.count(run, *grown(q), backward=True)
    assert counts.flop == 3 * 2 * 8 * 32**2 * 64
    assert counts.active_flop == 3 * 2 * 8 * triangle(32) * 64


def test_a_mask_that_is_data_is_said_to_be_dense_and_where():
    class Own(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.gate = torch.nn.Linear(16, 16)

        def forward(self, q):
            mask = self.gate(q) @ q.transpose(-1, -2) > 0
            return F.scaled_dot_product_attention(q, q, q, attn_mask=mask)

    model = torch.nn.Sequential(Own())
    q = torch.randn(1, 2, 64, 16)
    counts = lt.count(model, q, mode="fake")
    assert counts.active_flop == counts.flop
    (said,) = counts.warnings
    assert "active FLOP of 1 call of attention are dense" in said
    assert "not known" in said
    assert said in " ".join(str(counts).split())
    assert lt.count(model, q, mode="real").warnings == []


class Minimal(torch.nn.Module):
    """Attention as small models write it."""

    def __init__(self, size=64, heads=2, longest=1024):
        super().__init__()
        self.joint, self.heads = torch.nn.Linear(size, 3 * size), heads
        ones = torch.ones(longest, longest)
        self.register_buffer("mask", torch.tril(ones).view(1, 1, longest, longest))

    def forward(self, x):
        batch, length, size = x.shape
        q, k, v = (
            it.view(batch, length, self.heads, -1).transpose(1, 2)
            for it in self.joint(x).split(size, 2)
        )
        scores = (q @ k.transpose(-2, -1)) * 0.125
        scores = scores.masked_fill(self.mask[:, :, :length, :length] == 0, -math.inf)
        return F.dropout(F.softmax(scores, -1)) @ v


@pytest.mark.parametrize("without_weights", [False, True])
def test_a_triangle_in_a_buffer_is_known_with_weights_and_without(without_weights):
    if without_weights:
        with lt.no_weights():
            model = Minimal()
    else:
        model = Minimal()
    counts = lt.count(model, torch.randn(2, 256, 64), backward=True, mode="fake")
    # Joint projection, whose input needs no gradient; 2 sequences of 2 heads, 2·(32 + 32) a pair.
    joint = 2 * 2 * 256 * 64 * 192 * 2
    assert counts.flop == joint + 3 * 4 * 256**2 * 128
    assert counts.active_flop == joint + 3 * 4 * triangle(256) * 128


@pytest.mark.parametrize("need_weights", [False, True])
@pytest.mark.parametrize("is_causal", [False, True])
def test_multi_head_attention_is_as_active_whatever_it_is_told(need_weights, is_causal):
    model = torch.nn.MultiheadAttention(64, 2, batch_first=True)
    mask = torch.nn.Transformer.generate_square_subsequent_mask(32)
    counts = lt.count(
        lambda x, mask: model(
            x, x, x, attn_mask=mask, is_causal=is_causal, need_weights=need_weights
        ),
        torch.randn(2, 32, 64),
        mask,
    )
    projections = 2 * 2 * 32 * 64 * 64 * 4
    assert counts.flop == projections + 4 * 32**2 * 128
    assert counts.active_flop == projections + 4 * triangle(32) * 128


@pytest.mark.parametrize("is_causal", [False, True])
def test_a_mask_that_the_program_holds_by_itself_is_known(is_causal):
    model = torch.nn.TransformerDecoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
    mask = torch.nn.Transformer.generate_square_subsequent_mask(16)
    x = torch.randn(2, 16, 32)
    counts = lt.count(lambda x: model(x, x, tgt_mask=mask, tgt_is_causal=is_causal), x)
    # Attention to itself is masked, that to the memory is not: 2 sequences of 4 heads of 8.
    assert counts.flop - counts.active_flop == 2 * 4 * (16**2 - triangle(16)) * 32
    assert counts.warnings == []


SMALL = {"vocab_size": 64, "hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4}
WINDOW = {"num_key_value_heads": 2, "intermediate_size": 48, "sliding_window": 8}
MIXED = {**WINDOW, "head_dim": 8, "layer_types": ["sliding_attention", "full_attention"]}
EXPERTS = {"num_local_experts": 4, "num_experts_per_tok": 2}
#: Of 32 queries: keys of a window of 8, keys up to the query.
IN_WINDOW, UPTO = 36 + 24 * 8, triangle(32)


@pytest.mark.parametrize(
    ("kind", "config", "kernels", "layers"),
    [
        ("GPT2LMHead", {"n_embd": 32, "n_layer": 2, "n_head": 4}, 2, (UPTO, UPTO)),
        ("MistralForCausalLM", {**SMALL, **WINDOW}, 2, (IN_WINDOW, IN_WINDOW)),
        ("Gemma3ForCausalLM", {**SMALL, **MIXED}, 2, (IN_WINDOW, UPTO)),
        ("GptOssForCausalLM", {**SMALL, **MIXED, **EXPERTS}, 1, (IN_WINDOW, UPTO)),
        ("FalconForCausalLM", {**SMALL, "alibi": True}, 2, (UPTO, UPTO)),
        ("BloomForCausalLM", {"vocab_size": 64, "hidden_size": 32, "n_head": 4}, 1, (UPTO, UPTO)),
    ],
)
def test_decoders_of_transformers_are_as_active_in_every_kernel(kind, config, kernels, layers):
    transformers = pytest.importorskip("transformers")
    name = kind.partition("ForCausalLM")[0].partition("LMHead")[0]
    configs = {"Gemma3": "Gemma3TextConfig"}
    config_class = getattr(transformers, configs.get(name, f"{name}Config"))
    model_class = getattr(transformers, "GPT2LMHeadModel" if name == "GPT2" else kind)
    ids = torch.arange(64).view(2, 32)
    told = set()
    for kernel in ("eager", "sdpa")[:kernels]:
        with lt.no_weights():
            model = model_class(config_class(**config, attn_implementation=kernel))
        counts = lt.count(model.train(), kwargs={"input_ids": ids, "use_cache": False})
        told.add((counts.flop, counts.active_flop))
        assert not any("dense" in it for it in counts.warnings)
    ((flop, active),) = told
    # 2 sequences of 4 heads of 8, 2·(8 + 8) FLOP a pair.
    masked = sum(32**2 - left for left in layers)
    assert flop - active == 2 * 4 * masked * 32


def test_a_product_that_is_no_attention_stays_as_it_is():
    model = torch.nn.Sequential(torch.nn.Linear(16, 16, bias=False), torch.nn.Softmax(-1))
    out = lt.count(lambda x: model(x) @ x.T, torch.randn(8, 16))
    assert out.active_flop == out.flop
    assert out.warnings == []


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
