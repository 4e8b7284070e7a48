"""Functions of JAX: products, convolutions, gradients, and the sums worked out by hand."""

import pytest

jax = pytest.importorskip("jax")

import jax.numpy as jnp

import laptime as lt
from laptime.operations.framework import framework_told


def count(function, inputs, kwargs, **options):
    return lt.count(function, *inputs, kwargs=kwargs, **options)


def shape(*sizes, dtype=jnp.float32):
    return jax.ShapeDtypeStruct(sizes, dtype)


def mac(function, *inputs, **options):
    counts = count(function, inputs, {}, **options)
    assert counts.uncounted == []
    return counts.mac


def test_a_product_is_counted_from_shapes_alone():
    counts = count(lambda x, w: x @ w, (shape(64, 256), shape(256, 1024)), {})
    assert counts.mac == 64 * 256 * 1024
    assert counts.flop == 2 * counts.mac
    assert counts.bytes_read == 4 * (64 * 256 + 256 * 1024)
    assert counts.bytes_written == 4 * 64 * 1024
    assert counts.coverage_ratio == 1.0


def test_jitted_or_not_the_count_is_the_same():
    def function(x, w):
        return jax.nn.softmax(x @ w)

    inputs = shape(8, 16), shape(16, 4)
    plain, jitted = (count(f, inputs, {}) for f in (function, jax.jit(function)))
    assert (plain.mac, plain.total_flop) == (jitted.mac, jitted.total_flop)
    assert plain.mac == 8 * 16 * 4


def test_a_flag_stays_a_flag_and_a_static_argument_static():
    def function(x, w, *, twice):
        return x @ w @ w if twice else x @ w

    inputs = shape(8, 16), shape(16, 16)
    jitted = jax.jit(function, static_argnames="twice")
    for f in (function, jitted):
        once, twice = (count(f, inputs, {"twice": flag}).mac for flag in (False, True))
        assert (once, twice) == (8 * 16 * 16, 2 * 8 * 16 * 16)


def test_a_multilayer_perceptron_with_its_gradients_is_exact():
    def mlp(weights, x):
        first, second = weights
        return jax.nn.relu(x @ first) @ second

    weights = shape(256, 1024), shape(1024, 256)
    counts = count(mlp, (weights, shape(64, 256)), {}, backward=True)
    # Two products forward; both weights' gradients, and the first result's.
    product = 64 * 256 * 1024
    assert counts.by_phase["forward"].mac == 2 * product == 33_554_432
    assert counts.by_phase["backward"].mac == 3 * product
    assert counts.flop == 167_772_160
    assert counts.params == 524_288


def test_a_gradient_that_the_program_takes_itself_counts_the_same():
    def loss(weights, x):
        return (jnp.sin(x @ weights[0]) @ weights[1]).sum()

    inputs = (shape(16, 32), shape(32, 8)), shape(4, 16)
    own = count(jax.value_and_grad(loss), inputs, {})
    ours = count(loss, inputs, {}, backward=True)
    assert own.mac == ours.mac == 4 * 16 * 32 * 2 + 4 * 32 * 8 * 3
    assert own.by_phase["backward"].mac == ours.by_phase["backward"].mac


def test_an_einsum_with_its_gradient_is_exact():
    def function(w, x):
        return jnp.einsum("bsd,dhk->bhsk", x, w)

    counts = count(function, (shape(128, 4, 32), shape(8, 64, 128)), {}, backward=True)
    assert counts.flop == 33_554_432
    assert counts.by_phase["forward"].flop == 16_777_216


def test_grouped_convolutions_with_their_gradients_are_exact():
    def convolution(x, kernel, padding, groups):
        return jax.lax.conv_general_dilated(x, kernel, (1, 1), padding, feature_group_count=groups)

    def model(kernels, x):
        x = convolution(x, kernels[0], "VALID", 1)
        x = convolution(x, kernels[1], "SAME", 8)
        return convolution(x, kernels[2], "SAME", 64)

    kernels = shape(64, 3, 1, 1), shape(64, 8, 3, 3), shape(64, 1, 3, 3)
    counts = count(model, (kernels, shape(1, 3, 32, 32)), {}, backward=True)
    assert counts.by_phase["forward"].flop == 11_010_048
    assert counts.flop == 32_636_928
    assert counts.params == 5376


@pytest.mark.parametrize("stride", [1, 2, 3])
@pytest.mark.parametrize("padding", ["SAME", "VALID", [(2, 2), (2, 2)]])
def test_each_gradient_of_a_convolution_costs_as_much_as_its_forward(stride, padding):
    def function(inputs):
        return jax.lax.conv_general_dilated(*inputs, (stride, stride), padding)

    counts = count(function, ((shape(2, 4, 13, 13), shape(6, 4, 3, 3)),), {}, backward=True)
    assert counts.by_phase["backward"].mac == 2 * counts.by_phase["forward"].mac


@pytest.mark.parametrize("stride", [1, 2, 3])
def test_a_transposed_convolution_meets_each_input_element_with_each_tap(stride):
    def function(inputs):
        return jax.lax.conv_transpose(*inputs, (stride, stride), "SAME")

    counts = count(function, ((shape(2, 9, 9, 4), shape(3, 3, 4, 6)),), {}, backward=True)
    assert counts.by_phase["forward"].mac == 2 * 9 * 9 * 4 * 6 * 9
    assert counts.by_phase["backward"].mac == 2 * counts.by_phase["forward"].mac


def test_attention_with_its_gradients_is_exact():
    def function(scale, x):
        q = x * scale
        return jax.nn.dot_product_attention(q, q, q)

    # [batch, sequence, heads, features], as 2, 128, 8, 64.
    counts = count(function, (shape(), shape(2, 128, 8, 64)), {}, backward=True)
    assert counts.by_phase["forward"].mac == 33_554_432
    assert counts.flop == 201_326_592


def test_an_embedding_is_a_look_up_and_its_gradient_an_addition():
    def model(weights, tokens):
        table, matrix = weights
        return table[tokens] @ matrix

    weights = shape(50_000, 256), shape(256, 256)
    counts = count(model, (weights, shape(4, 128, dtype=jnp.int32)), {}, backward=True)
    assert counts.by_phase["forward"].flop == 67_108_864
    assert counts.flop == 201_326_592
    assert counts.by_op["jax::gather"].flop == 0
    assert counts.by_op["jax::gather"].bytes_read < 2 * 4 * 128 * 256 * 4
    assert counts.by_op["jax::scatter-add"].other_flop == 4 * 128 * 256


def test_a_transform_and_its_inverse_are_reckoned_by_the_usual_convention():
    def model(w, x):
        return jnp.fft.irfft(jnp.fft.rfft(x) * w)

    weights = shape(1, 1, 257, dtype=jnp.complex64)
    counts = count(model, (weights, shape(4, 8, 512)), {})
    assert counts.flop == 0
    assert counts.by_op["jax::fft"].other_flop == 737_280
    assert counts.by_op["jax::mul"].other_flop == 49_344


def test_a_checkpoint_runs_its_forward_again_and_the_model_does_not_ask_for_it():
    @jax.checkpoint
    def block(w, x):
        return jnp.sin(jnp.sin(x @ w) @ w)

    counts = count(block, (shape(16, 16), shape(8, 16)), {}, backward=True)
    product = 8 * 16 * 16
    assert counts.by_phase["forward"].mac == 2 * product
    assert counts.by_phase["backward"].mac == 3 * product
    assert counts.by_phase["recompute"].mac == 0
    assert counts.executed_flop == counts.flop + 2 * 2 * product


def test_named_scopes_are_modules_forward_and_backward():
    def model(w, x):
        with jax.named_scope("encoder"):
            with jax.named_scope("first"):
                return jnp.sin(x) @ w

    counts = count(model, (shape(16, 4), shape(8, 16)), {}, backward=True)
    assert list(counts.by_module) == ["", "encoder", "encoder.first"]
    row = counts.by_module["encoder.first"]
    assert row.by_phase["forward"].mac == row.by_phase["backward"].mac == 8 * 16 * 4


def test_scopes_of_a_plain_function_have_no_parameters_rather_than_none():
    def function(x):
        with jax.named_scope("scope"):
            return x @ x

    counts = count(function, (shape(4, 4),), {})
    assert (counts.params, counts.by_module["scope"].params) == (None, None)
    assert "params" not in counts.to_text(by="module")


def test_kernels_and_callbacks_are_listed_and_never_counted_as_nothing():
    def function(x, w):
        seen = jax.pure_callback(lambda x: x, jax.ShapeDtypeStruct((8, 16), jnp.float32), x)
        return seen @ w

    counts = count(function, (shape(8, 16), shape(16, 4)), {})
    assert [it.name for it in counts.uncounted] == ["jax::pure_callback"]
    assert "Python function" in counts.uncounted[0].reason
    assert counts.coverage_ratio < 1.0
    assert counts.mac == 8 * 16 * 4


def test_a_broadcast_is_read_by_what_it_repeats():
    counts = count(lambda x: jnp.broadcast_to(x, (64, 128)) * 2.0, (shape(128),), {})
    row = counts.by_op["jax::mul"]
    assert (row.bytes_read, row.bytes_written) == (128 * 4, 64 * 128 * 4)


def test_xla_stands_beside_as_a_cross_check():
    counts = count(lambda x, w: x @ w, (shape(64, 256), shape(256, 32)), {})
    source, flop = counts.cross_check
    assert source == "XLA's cost analysis"
    assert flop == counts.total_flop
    assert counts.warnings == []


def test_gradients_of_nothing_say_what_is_missing():
    with pytest.raises(TypeError, match="first argument"):
        count(jax.jit(lambda: 1.0), (), {}, backward=True)
    with pytest.raises(TypeError, match="no floating-point array in it: ShapeDtypeStruct"):
        count(lambda x: x, (shape(4, dtype=jnp.int32),), {}, backward=True)
    with pytest.raises(TypeError, match="give loss="):
        count(lambda x: x > 0, (shape(4),), {}, backward=True)


def test_a_loss_of_the_result_is_what_gradients_are_taken_of():
    def model(w, x):
        return {"used": x @ w, "unused": (x @ w) @ w}

    inputs = shape(16, 16), shape(8, 16)
    used = count(model, inputs, {}, backward=True, loss=lambda out: out["used"].sum())
    product = 8 * 16 * 16
    assert used.by_phase["backward"].mac == product
    both = count(model, inputs, {}, backward=True)
    assert both.by_phase["backward"].mac > used.by_phase["backward"].mac


def test_the_function_s_own_error_comes_through():
    with pytest.raises(TypeError, match="dot_general"):
        count(lambda x, w: x @ w, (shape(8, 16), shape(17, 4)), {})


def test_what_is_a_jax_function_is_told_by_it_or_by_its_arguments():
    assert framework_told(jax.jit(lambda x: x), (3.0,), {}) == "jax"
    assert framework_told(lambda x: x, (shape(3),), {}) == "jax"
    assert framework_told(lambda *, x: x, (), {"x": [jnp.ones(3)]}) == "jax"
    assert framework_told(lambda x: x, (3.0,), {}) is None
