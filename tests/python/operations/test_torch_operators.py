"""Operators and wrappers that other counters miss, each against integers worked by hand."""

import contextlib

import pytest

import laptime as lt

torch = pytest.importorskip("torch")
nn = torch.nn
F = torch.nn.functional


def randn(*sizes, **rest):
    return torch.randn(*sizes, **rest)


def test_grouped_queries_are_counted_by_query_heads():
    q, kv = randn(2, 8, 16, 32), randn(2, 2, 16, 32)
    counts = lt.count(
        lambda q, kv: F.scaled_dot_product_attention(q, kv, kv, enable_gqa=True), q, kv
    )
    assert counts.mac == 2 * 8 * 16 * 16 * (32 + 32)


@pytest.mark.parametrize("backend", ["MATH", "FLASH_ATTENTION"])
@pytest.mark.parametrize("causal", [False, True])
def test_attention_costs_the_model_the_same_in_every_kernel(backend, causal):
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def attend(q, k, v):
        with sdpa_kernel(getattr(SDPBackend, backend)):
            return F.scaled_dot_product_attention(q, k, v, is_causal=causal)

    tensors = [randn(2, 4, 16, 8, requires_grad=True) for _ in range(3)]
    counts = lt.count(attend, *tensors, backward=True)
    product = 2 * 2 * 4 * 16 * 16 * 8
    assert counts.flop == 6 * product
    assert counts.executed_flop == (7 if backend == "FLASH_ATTENTION" else 6) * product
    assert counts.coverage_ratio == 1.0


KERNELS = {
    "_scaled_dot_product_flash_attention": (),
    "_scaled_dot_product_efficient_attention": (None, True),
    "_scaled_dot_product_cudnn_attention": (None, True),
}


@pytest.mark.parametrize("kernel", KERNELS)
def test_device_kernels_are_counted_without_a_device(kernel):
    from torch._subclasses.fake_tensor import FakeTensorMode

    with FakeTensorMode():
        q = torch.empty(2, 4, 16, 8, device="cuda", dtype=torch.float16)
    function = getattr(torch.ops.aten, kernel)
    counts = lt.count(lambda q: function(q, q, q, *KERNELS[kernel])[0], q)
    assert counts.mac == 2 * 4 * 16 * 16 * (8 + 8)
    assert counts.by_dtype == {"float16": counts.mac}


def test_sequences_of_different_lengths_are_counted_by_their_own_lengths():
    q, ends = randn(8, 2, 16), torch.tensor([0, 3, 8], dtype=torch.int32)

    def attend(q, ends):
        longest = 5
        return torch.ops.aten._flash_attention_forward(
            q, q, q, ends, ends, longest, longest, 0.0, False, False
        )[0]

    counts = lt.count(attend, q, ends)
    assert counts.mac == (3 * 3 + 5 * 5) * 2 * (16 + 16)


def test_nested_sequences_are_counted_one_by_one():
    for layout in (torch.jagged, torch.strided):
        nested = torch.nested.nested_tensor([randn(3, 8), randn(5, 8)], layout=layout)
        counts = lt.count(nn.Linear(8, 4), nested)
        assert counts.flop == 2 * (3 + 5) * 8 * 4
        assert counts.coverage_ratio == 1.0
        assert "nested" in counts.warnings[0]

    def attend(nested):
        q = nested.unflatten(-1, [2, 4]).transpose(1, 2)
        return F.scaled_dot_product_attention(q, q, q)

    nested = torch.nested.nested_tensor([randn(3, 8), randn(5, 8)], layout=torch.jagged)
    assert lt.count(attend, nested).mac == 2 * (9 + 25) * (4 + 4)


def test_autocast_counts_what_runs_in_the_lower_precision():
    model = nn.Linear(8, 8)
    with torch.autocast("cpu", torch.bfloat16):
        counts = lt.count(model, randn(4, 8), backward=True)
        assert counts.by_dtype == {"bfloat16": 2 * 4 * 8 * 8}
        model(randn(4, 8)).sum().backward()
    assert type(model.weight.grad) is torch.Tensor


GATES = {nn.RNN: 1, nn.GRU: 3, nn.LSTM: 4}


@pytest.mark.parametrize("kind", GATES)
@pytest.mark.parametrize("bidirectional", [False, True])
def test_recurrent_layers_are_counted_in_every_step_layer_and_direction(kind, bidirectional):
    steps, batch, size, hidden, layers = 5, 3, 8, 16, 2
    model = kind(size, hidden, layers, bidirectional=bidirectional)
    x = randn(steps, batch, size)
    directions = 2 if bidirectional else 1
    per = 2 * batch * GATES[kind] * hidden * directions
    forward = per * steps * ((size + hidden) + (directions * hidden + hidden))
    assert lt.count(model, x).flop == forward
    both = lt.count(model, x, backward=True, loss=lambda output: output[0].sum())
    # No gradient of the input of the first layer, nor of the hidden state that each begins with.
    unneeded = per * steps * size + per * hidden * layers
    assert both.flop == 3 * forward - unneeded
    assert both.coverage_ratio == 1.0


def test_a_cell_and_a_projected_lstm_are_counted():
    cell = lt.count(nn.LSTMCell(8, 16), randn(3, 8))
    assert cell.flop == 2 * 3 * 4 * 16 * (8 + 16)
    projected = lt.count(nn.LSTM(8, 16, proj_size=4), randn(5, 3, 8))
    assert projected.flop == 5 * 3 * 2 * (4 * 16 * (8 + 4) + 16 * 4)


def test_packed_sequences_are_counted_by_their_lengths():
    from torch.nn.utils.rnn import pack_padded_sequence

    class Packs(nn.Module):
        def __init__(self):
            super().__init__()
            self.lstm = nn.LSTM(8, 16)

        def forward(self, x, lengths):
            return self.lstm(pack_padded_sequence(x, lengths))[0].data

    counts = lt.count(Packs(), randn(5, 3, 8), torch.tensor([5, 3, 2]))
    assert counts.flop == (5 + 3 + 2) * 2 * 4 * 16 * (8 + 16)
    assert counts.warnings


@pytest.mark.parametrize("dimensions", [1, 2, 3])
@pytest.mark.parametrize("groups", [1, 2, 4])
@pytest.mark.parametrize("transposed", [False, True])
def test_convolutions_of_every_kind_are_exact(dimensions, groups, transposed):
    name = f"Conv{'Transpose' if transposed else ''}{dimensions}d"
    kind = getattr(nn, name)
    model = kind(4, 8, 3, stride=2, padding=1, dilation=2, groups=groups, bias=False)
    x = randn(2, 4, *[9] * dimensions, requires_grad=True)
    out = model(x)
    taps = x if transposed else out
    others = 8 if transposed else 4
    forward = taps.numel() * (others // groups) * 3**dimensions
    assert lt.count(model, x).mac == forward
    assert lt.count(model, x, backward=True).mac == 3 * forward
    assert lt.count(model, x.detach(), backward=True).mac == 2 * forward


def test_einsum_is_counted_along_the_path_that_runs():
    a, b, c = randn(2, 30), randn(30, 40), randn(40, 5)
    counts = lt.count(lambda *it: torch.einsum("ij,jk,kl->il", *it), a, b, c)
    assert counts.mac in (2 * 30 * 40 + 2 * 40 * 5, 30 * 40 * 5 + 2 * 30 * 5)


def test_matrix_times_vector_and_integer_products_are_counted():
    assert lt.count(torch.mv, randn(8, 16), randn(16)).mac == 8 * 16
    whole = torch.ones(32, 32, dtype=torch.int8)
    counts = lt.count(torch._int_mm, whole, whole)
    assert counts.mac == 32**3
    assert counts.by_dtype == {"int8": 32**3}


def test_compiled_scripted_and_exported_models_are_counted_as_they_were_written():
    model = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 4))
    x = randn(2, 8)
    plain = lt.count(model, x, backward=True)
    compiled = lt.count(torch.compile(model), x, backward=True)
    assert compiled.by_module.keys() == plain.by_module.keys()
    scripted, traced = torch.jit.script(model), torch.jit.trace(model, x)
    exported = lt.count(torch.export.export(model, (x,)), x, backward=True)
    assert exported.by_module["2"].flop == plain.by_module["2"].flop
    for counts in (
        compiled,
        exported,
        lt.count(torch.compile(lambda x: model(x)), x, backward=True),
        lt.count(scripted, x, backward=True),
        lt.count(traced, x, backward=True),
        lt.count(nn.DataParallel(model), x, backward=True),
    ):
        assert (counts.flop, counts.params) == (plain.flop, plain.params)

    class Holds(nn.Module):
        def __init__(self):
            super().__init__()
            self.part = torch.compile(model)

        def forward(self, x):
            return self.part(x)

    rows = lt.count(Holds(), x, backward=True).by_module
    assert rows["part.2"].flop == plain.by_module["2"].flop
    assert rows["part"].calls == 1


def test_inference_mode_takes_composite_operators_apart():
    model = nn.Linear(8, 16)
    with torch.inference_mode():
        counts = lt.count(model, randn(2, 8))
        wide = lt.count(torch.matmul, randn(3, 2, 8), randn(8, 4))
    assert "aten::linear" not in counts.by_op
    assert counts.mac == 2 * 8 * 16
    assert wide.mac == 3 * 2 * 8 * 4


def test_a_sparse_matrix_is_counted_by_what_it_stores():
    for make in (torch.Tensor.to_sparse, torch.Tensor.to_sparse_csr):
        counts = lt.count(lambda a, b: a @ b, make(torch.eye(6)), randn(6, 4))
        assert counts.mac == 6 * 4
        assert "sparse" in counts.warnings[0]


@pytest.mark.parametrize("size", [4, 128])
def test_a_branch_that_is_known_is_taken_and_an_unknown_one_is_said(size):
    def branches(x):
        return torch.cond(x.sum() > 0, lambda x: x @ x @ x, lambda x: x @ x, (x,))

    product = 2 * size**3
    x = torch.ones(size, size)
    assert lt.count(branches, x, mode="real").flop == 2 * product
    assert lt.count(branches, -x, mode="real").flop == product
    counts = lt.count(branches, -x)
    if size == 4:  # few enough elements for their values to be kept
        assert (counts.flop, counts.warnings) == (product, [])
    else:
        assert counts.flop == 2 * product
        assert f"{product}" in counts.warnings[0]


def test_loops_are_counted_by_their_rounds_and_never_as_one():
    from torch._higher_order_ops.scan import scan
    from torch._higher_order_ops.while_loop import while_loop

    def folded(xs):
        return scan(lambda carry, x: (carry @ carry, x.clone()), xs[0], xs)

    assert lt.count(folded, randn(100, 4, 4)).flop == 100 * 2 * 4**3

    def turns(x):
        return while_loop(lambda i, x: i < 7, lambda i, x: (i + 1, x @ x), (torch.tensor(0), x))

    assert lt.count(turns, randn(4, 4)).flop == 7 * 2 * 4**3

    def open_ended(x):
        return while_loop(lambda x: x.sum() < 7, lambda x: (x @ x,), (x,))

    counts = lt.count(open_ended, torch.ones(100, 100), mode="fake")
    assert counts.flop == 0
    assert counts.coverage_ratio < 1
    row = next(row for row in counts.uncounted if row.name == "aten::mm")
    assert "rounds" in row.reason


def test_flex_attention_is_counted_by_the_blocks_that_its_mask_leaves():
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    q = randn(1, 2, 256, 16)
    dense = 2 * 2 * 256 * 256 * (16 + 16)
    mask = create_block_mask(lambda b, h, q, k: q >= k, None, None, 256, 256, device="cpu")
    for mode in ("fake", "real"):
        whole = lt.count(lambda q: flex_attention(q, q, q), q, mode=mode)
        assert whole.by_op["higher_order::flex_attention"].flop == dense
        causal = lt.count(lambda q: flex_attention(q, q, q, block_mask=mask), q, mode=mode)
        assert causal.by_op["higher_order::flex_attention"].flop == dense * 3 // 4


@torch.library.custom_op("laptime_tests::product", mutates_args=())
def product(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a @ b


@product.register_fake
def _(a, b):
    return a.new_empty(a.shape[0], b.shape[1])


@pytest.mark.parametrize(
    "named",
    [
        "laptime_tests::product",
        product,
        torch.ops.laptime_tests.product,
        torch.ops.laptime_tests.product.default,
    ],
    ids=["name", "custom_op", "packet", "overload"],
)
def test_an_operator_of_the_users_is_listed_until_it_has_a_formula(named):
    a, b = randn(3, 4), randn(4, 5)
    counts = lt.count(product, a, b)
    (row,) = counts.uncounted
    assert (row.name, row.calls, row.elements) == ("laptime_tests::product", 1, 15)
    assert counts.coverage_ratio == 0
    lt.register_formula(named, lambda call: {"mac": call["a"][0] * call["b"].elements})
    try:
        counts = lt.count(product, a, b)
    finally:
        lt.register_formula(named, None)
    assert (counts.mac, counts.uncounted) == (60, [])
    assert lt.count(product, a, b).mac == 0


def test_what_has_no_name_gets_no_formula():
    with pytest.raises(TypeError, match="an operator or its name"):
        lt.register_formula(3, None)
    with pytest.raises(TypeError, match="a formula is a function"):
        lt.register_formula("aten::mm", 3)


def test_quantised_layers_are_counted_or_listed_and_never_skipped():
    model = torch.ao.quantization.quantize_dynamic(nn.Sequential(nn.Linear(8, 4)), {nn.Linear})
    counts = lt.count(model, randn(2, 8))
    listed = {row.name for row in counts.uncounted}
    assert counts.mac == 2 * 8 * 4 or "quantized::linear_dynamic" in listed


@pytest.fixture
def four_ranks():
    distributed = torch.distributed
    store = pytest.importorskip("torch.testing._internal.distributed.fake_pg").FakeStore()
    distributed.init_process_group("fake", rank=0, world_size=4, store=store)
    yield distributed
    distributed.destroy_process_group()


def test_collectives_are_bytes_over_links(four_ranks):
    def exchange(x):
        four_ranks.all_reduce(x)
        parts = [torch.empty_like(x) for _ in range(4)]
        four_ranks.all_gather(parts, x)
        return parts[0]

    size = 4 * 8 * 4
    rows = lt.count(exchange, randn(4, 8)).by_op
    assert rows["c10d::allreduce_"].communication_bytes == 2 * 3 * size // 4
    assert rows["c10d::allgather_"].communication_bytes == 3 * size

    import torch.distributed._functional_collectives as functional

    counts = lt.count(
        lambda x: functional.all_reduce(x, "sum", four_ranks.group.WORLD) + 1, randn(4, 8)
    )
    assert counts.communication_bytes == 2 * 3 * size // 4
    assert counts.coverage_ratio == 1.0


def test_a_data_parallel_backward_reduces_every_gradient_once(four_ranks):
    model = nn.Linear(8, 4)
    parallel = nn.parallel.DistributedDataParallel(model)
    forward = lt.count(parallel, randn(2, 8))
    both = lt.count(parallel, randn(2, 8), backward=True)
    assert forward.communication_bytes == 0
    assert both.communication_bytes == 2 * 3 * (8 * 4 + 4) * 4 // 4
    assert both.flop == 2 * 2 * 2 * 8 * 4


def _conv():
    return nn.Conv2d(3, 8, 3, padding=1)


class _Inside(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = _conv()

    def forward(self, x):
        with torch.inference_mode():
            return self.layer(x)


class _Decorated(_Inside):
    @torch.inference_mode()
    def forward(self, x):
        return self.layer(x)


class _Both(_Inside):
    """Meets its weights in inference mode first."""

    def forward(self, x):
        return self.layer(x) + super().forward(x)


@pytest.mark.parametrize("kind", [_conv, _Inside, _Decorated, _Both])
@pytest.mark.parametrize("weights", [contextlib.nullcontext, lt.no_weights])
@pytest.mark.parametrize("made", [contextlib.nullcontext, torch.inference_mode])
@pytest.mark.parametrize("given", [contextlib.nullcontext, torch.inference_mode])
@pytest.mark.parametrize("counted", [contextlib.nullcontext, torch.inference_mode])
def test_wherever_inference_mode_stands_a_model_counts_the_same(
    kind, weights, made, given, counted
):
    with made(), weights():
        model = kind()
    with given():
        x = torch.zeros(1, 3, 32, 32)
    with counted():
        found = lt.count(model, x)
    assert found.mac == 32 * 32 * 8 * 27 * (2 if kind is _Both else 1)
    assert not found.warnings
    assert all(it.is_inference() == (made is torch.inference_mode) for it in model.parameters())
