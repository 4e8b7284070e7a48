"""Flax modules, linen and nnx, against sums worked out by hand."""

import pytest

jax = pytest.importorskip("jax")
pytest.importorskip("flax")

import flax.linen as nn
import jax.numpy as jnp
from flax import nnx

import laptime as lt


def count(function, inputs, kwargs, **options):
    return lt.count(function, *inputs, kwargs=kwargs, **options)


BATCH, SEQUENCE, WIDTH, HIDDEN, HEADS = 2, 8, 32, 64, 4
TOKENS = BATCH * SEQUENCE
ATTENTION = 2 * BATCH * SEQUENCE * SEQUENCE * WIDTH
FORWARD = 4 * TOKENS * WIDTH * WIDTH + ATTENTION + 2 * TOKENS * WIDTH * HIDDEN
PARAMS = 4 * (WIDTH * WIDTH + WIDTH) + 2 * WIDTH * HIDDEN + HIDDEN + WIDTH
X = jax.ShapeDtypeStruct((BATCH, SEQUENCE, WIDTH), jnp.float32)


class Linen(nn.Module):
    @nn.compact
    def __call__(self, x):
        x = nn.MultiHeadDotProductAttention(num_heads=HEADS, name="attention")(x, x)
        return nn.Dense(WIDTH, name="down")(nn.gelu(nn.Dense(HIDDEN, name="up")(x)))


class Nnx(nnx.Module):
    def __init__(self, rngs):
        self.attention = nnx.MultiHeadAttention(HEADS, WIDTH, decode=False, rngs=rngs)
        self.feed = nnx.List(
            [nnx.Linear(WIDTH, HIDDEN, rngs=rngs), nnx.Linear(HIDDEN, WIDTH, rngs=rngs)]
        )

    def __call__(self, x):
        return self.feed[1](nnx.gelu(self.feed[0](self.attention(x))))

    def first(self, x):
        return self.feed[0](x)


def linen():
    return jax.eval_shape(Linen().init, jax.random.key(0), X)


def abstract():
    return nnx.eval_shape(lambda: Nnx(nnx.Rngs(0)))


def test_a_linen_model_equals_the_hand_count():
    counts = count(Linen().apply, (linen(), X), {})
    assert (counts.mac, counts.params) == (FORWARD, PARAMS)
    assert counts.by_module["Linen.up"].mac == TOKENS * WIDTH * HIDDEN
    assert counts.by_module["Linen.attention.query"].mac == TOKENS * WIDTH * WIDTH
    assert counts.uncounted == []


def test_parts_have_the_parameters_that_are_theirs():
    rows = count(Linen().apply, (linen(), X), {}).by_module
    assert rows[""].params == rows["Linen"].params == PARAMS
    assert rows["Linen.up"].params == WIDTH * HIDDEN + HIDDEN
    rows = count(abstract(), (X,), {}).by_module
    assert rows[""].params == PARAMS
    assert (rows["feed.0"].params, rows["feed.0"].kind) == (WIDTH * HIDDEN + HIDDEN, "Linear")
    assert rows["attention"].params == 4 * (WIDTH * WIDTH + WIDTH)


def test_a_linen_module_is_its_apply():
    assert count(Linen(), (linen(), X), {}).mac == FORWARD


def test_a_linen_model_s_gradients_are_for_its_parameters_alone():
    counts = count(Linen().apply, (linen(), X), {}, backward=True)
    # All twice, but for the three products whose gradient would be the input's.
    assert counts.by_phase["backward"].mac == 2 * FORWARD - 3 * TOKENS * WIDTH * WIDTH
    assert counts.params == PARAMS


def test_state_beside_the_parameters_gets_no_gradient():
    class Normed(nn.Module):
        @nn.compact
        def __call__(self, x):
            return nn.BatchNorm(use_running_average=True)(nn.Dense(4)(x))

    x = jax.ShapeDtypeStruct((2, 16), jnp.float32)
    variables = jax.eval_shape(Normed().init, jax.random.key(0), x)
    assert "batch_stats" in variables
    counts = count(Normed().apply, (variables, x), {}, backward=True)
    assert counts.params == 16 * 4 + 4 + 4 + 4
    assert counts.by_phase["backward"].mac == 2 * 16 * 4


def test_an_nnx_model_without_weights_equals_the_hand_count():
    counts = count(abstract(), (X,), {})
    assert (counts.mac, counts.params) == (FORWARD, PARAMS)
    assert counts.by_module["feed.0"].mac == TOKENS * WIDTH * HIDDEN
    assert counts.by_module["attention.query"].mac == TOKENS * WIDTH * WIDTH


def test_an_nnx_model_s_gradients_are_for_its_parameters():
    counts = count(abstract(), (X,), {}, backward=True)
    assert counts.by_phase["backward"].mac == 2 * FORWARD - 3 * TOKENS * WIDTH * WIDTH
    assert counts.by_module["feed.1"].by_phase["backward"].mac == 2 * TOKENS * WIDTH * HIDDEN


def test_a_method_of_an_nnx_model_is_counted_by_itself():
    assert count(abstract().first, (X,), {}).mac == TOKENS * WIDTH * HIDDEN


def test_counting_leaves_an_nnx_model_as_it_was():
    model = Nnx(nnx.Rngs(0))
    call = nnx.Linear.__call__
    before = jax.tree.map(jnp.copy, nnx.state(model))
    result = model(jnp.ones(X.shape))
    assert count(model, (X,), {}, backward=True).mac > FORWARD
    assert nnx.Linear.__call__ is call
    assert jax.tree.all(jax.tree.map(jnp.array_equal, nnx.state(model), before))
    assert jnp.array_equal(model(jnp.ones(X.shape)), result)


@pytest.mark.parametrize("module", [Linen(), Linen().apply], ids=["module", "apply"])
def test_a_linen_module_without_its_variables_is_told_to_get_them(module):
    said = r"Linen of flax.linen is called with its variables first, not with an array.*bind"
    with pytest.raises(TypeError, match=said):
        lt.count(module, X)
    with pytest.raises(TypeError, match="and none are given"):
        lt.count(module)
    assert lt.count(module, linen(), X).mac == FORWARD


def test_fake_is_what_happens_to_a_jax_function_anyway():
    function = Linen().apply
    assert lt.count(function, linen(), X, mode="fake").mac == FORWARD
    with pytest.raises(ValueError, match="always counted from shapes"):
        lt.count(function, linen(), X, mode="real")
